"""The course: lessons made of moments, each played on the workbench of the Lab."""
