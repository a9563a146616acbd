"""Sample Game's display: its theme, rules, music and art."""
