"""The course: lessons made of sections, each played on the workbench of the Lab."""
