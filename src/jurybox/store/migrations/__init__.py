"""Alembic revisions, one file each, never changed once released."""
