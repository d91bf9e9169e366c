"""What nobody honest sends: links, acts and files that were changed on purpose, drawn from a seed."""
