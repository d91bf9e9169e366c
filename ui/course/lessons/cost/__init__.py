"""Lesson 12."""
