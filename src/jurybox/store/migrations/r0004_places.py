"""Answers about one output say at which place of the screen it stood."""

from __future__ import annotations

from alembic import op
from sqlalchemy import Column, Integer

revision = "0004"
down_revision = "0003"

# The order of a submission, as rows, names the output at each of its places by the trial's own.
FILL = {
    "sqlite": (
        "UPDATE response_rows SET place = (SELECT j.key + 1 FROM submission_rows s "
        "JOIN trial_outputs o ON o.trial = s.trial "
        "JOIN json_each(s.shown_order) j ON j.value = o.place "
        'WHERE s.seq = response_rows.submission AND o."system" = response_rows."system") '
        'WHERE "system" IS NOT NULL'
    ),
    "postgresql": (
        "UPDATE response_rows SET place = (SELECT j.place FROM submission_rows s "
        "JOIN trial_outputs o ON o.trial = s.trial "
        "JOIN LATERAL jsonb_array_elements_text(CAST(s.shown_order AS jsonb)) "
        "WITH ORDINALITY j(value, place) ON CAST(j.value AS integer) = o.place "
        'WHERE s.seq = response_rows.submission AND o."system" = response_rows."system") '
        'WHERE "system" IS NOT NULL'
    ),
}


def upgrade() -> None:
    """Add the column; the order that each submission was shown in fills it."""
    op.add_column("response_rows", Column("place", Integer))
    dialect = op.get_bind().dialect.name
    if dialect == "sqlite":
        op.execute("DROP TRIGGER response_rows_no_update")
    else:
        op.execute("ALTER TABLE response_rows DISABLE TRIGGER response_rows_append_only")
    op.execute(FILL[dialect])
    op.execute(  # imported without an order, but planned alone on its screen
        "UPDATE response_rows SET place = 1 "
        'WHERE place IS NULL AND "system" IS NOT NULL AND EXISTS ('
        "SELECT 1 FROM submission_rows s JOIN trials t ON t.id = s.trial "
        "WHERE s.seq = response_rows.submission AND t.plan IS NOT NULL "
        "AND (SELECT count(*) FROM trial_outputs o WHERE o.trial = t.id) = 1)"
    )
    if dialect == "sqlite":
        op.execute(
            "CREATE TRIGGER response_rows_no_update BEFORE UPDATE ON response_rows "
            "BEGIN SELECT RAISE(ABORT, 'response_rows is append-only'); END"
        )
    else:
        op.execute("ALTER TABLE response_rows ENABLE TRIGGER response_rows_append_only")
