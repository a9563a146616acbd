"""The scenes: each draws one kind of screen from the director's state and returns when it changes next."""
