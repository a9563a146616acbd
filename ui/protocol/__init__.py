"""What supervisor and display share: their messages, and the values in them."""
