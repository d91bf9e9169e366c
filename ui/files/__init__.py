"""Files in and out: uploads, exports, handouts."""
