"""Raters keep the key of the page that enrolled them, which may ask again for their link."""

from __future__ import annotations

from alembic import op
from sqlalchemy import Column, Text

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Add the column; whoever is there has their link already."""
    op.add_column("raters", Column("key_hash", Text))
