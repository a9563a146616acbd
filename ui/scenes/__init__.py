"""The scenes: each draws one kind of screen from the director's state and tells when it changes next."""
