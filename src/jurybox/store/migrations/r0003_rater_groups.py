"""Raters and booklets may belong to a group."""

from __future__ import annotations

from alembic import op
from sqlalchemy import Column, Text

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Add the columns; whoever is there belongs to no group."""
    op.add_column("raters", Column("group", Text))
    op.add_column("booklets", Column("group", Text))
