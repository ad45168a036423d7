"""Free the slots that withdrawn raters had answered; the views say ``withdrawn`` first."""

from __future__ import annotations

from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """End what withdrawn raters hold, as a withdrawal does from now on."""
    op.execute(
        "UPDATE assignments SET outcome = 'withdrawn', ended_at = ("
        "SELECT withdrawn_at FROM raters WHERE raters.id = assignments.rater) "
        "WHERE outcome = 'answered' AND rater IN ("
        "SELECT id FROM raters WHERE withdrawn_at IS NOT NULL)"
    )
