"""What happens to the books as a whole: opened, proved, sealed, copied, cleared, restored and rebuilt."""
