"""The first tables."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy import Column, Integer, Text

revision = "0001"
down_revision = None

JSON = Text()
TIME = Text().with_variant(sa.DateTime(timezone=True), "postgresql")
HELD = sa.text("outcome IN ('leased', 'answered')")
ACTIVE = sa.text("unmarked_at IS NULL")
APPEND_ONLY = ("submission_rows", "response_rows", "events")


def upgrade() -> None:
    """Make every table."""
    _make_study()
    _make_raters()
    _make_plan()
    _make_assignments()
    _make_submissions()
    _make_responses()
    _make_journal()
    for table in APPEND_ONLY:
        _refuse_changes(table)


def _make_study() -> None:
    op.create_table(
        "settings",
        Column("name", Text(), nullable=False),
        Column("value", Text(), nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_settings"),
    )
    op.create_table(
        "versions",
        Column("number", Integer(), autoincrement=False, nullable=False),
        Column("study_json", Text(), nullable=False),
        Column("study_hash", Text(), nullable=False),
        Column("material_hash", Text(), nullable=False),
        Column("kind", Text(), nullable=False),
        Column("at", TIME, nullable=False),
        sa.PrimaryKeyConstraint("number", name="pk_versions"),
    )
    op.create_table(
        "plans",
        Column("round", Text(), nullable=False),
        Column("seed", sa.BigInteger(), nullable=False),
        Column("overlap", Integer(), nullable=False),
        Column("version", Integer(), nullable=False),
        Column("at", TIME, nullable=False),
        sa.ForeignKeyConstraint(["version"], ["versions.number"], name="fk_plans_version"),
        sa.PrimaryKeyConstraint("round", name="pk_plans"),
    )


def _make_raters() -> None:
    op.create_table(
        "raters",
        Column("id", Text(), nullable=False),
        Column("kind", Text(), nullable=False),
        Column("token_hash", Text(), nullable=True),
        Column("details", JSON, nullable=False),
        Column("enrolled_at", TIME, nullable=False),
        Column("active_at", TIME, nullable=False),
        Column("consented_at", TIME, nullable=True),
        Column("survey", JSON, nullable=True),
        Column("practice", JSON, nullable=True),
        Column("finished_at", TIME, nullable=True),
        Column("stopped_at", TIME, nullable=True),
        Column("withdrawn_at", TIME, nullable=True),
        Column("paused", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_raters"),
        sa.UniqueConstraint("token_hash", name="uq_raters_token_hash"),
    )
    op.create_table(
        "exclusions",
        Column("id", Integer(), nullable=False),
        Column("rater", Text(), nullable=False),
        Column("rule", Text(), nullable=False),
        Column("sentence", Text(), nullable=False),
        Column("marked_at", TIME, nullable=False),
        Column("unmarked_at", TIME, nullable=True),
        sa.ForeignKeyConstraint(["rater"], ["raters.id"], name="fk_exclusions_rater"),
        sa.PrimaryKeyConstraint("id", name="pk_exclusions"),
    )
    op.create_index(
        "uq_active_rule",
        "exclusions",
        ["rater", "rule"],
        unique=True,
        sqlite_where=ACTIVE,
        postgresql_where=ACTIVE,
    )


def _make_plan() -> None:
    op.create_table(
        "trials",
        Column("id", Text(), nullable=False),
        Column("plan", Text(), nullable=True),
        Column("round", Text(), nullable=False),
        Column("kind", Text(), nullable=False),
        Column("item", Text(), nullable=False),
        Column("number", Integer(), nullable=False),
        Column("practice", Integer(), nullable=True),
        Column("one_per_item", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(["plan"], ["plans.round"], name="fk_trials_plan"),
        sa.PrimaryKeyConstraint("id", name="pk_trials"),
    )
    op.create_index("ix_trials_item", "trials", ["item"])
    op.create_index("ix_trials_plan_number", "trials", ["plan", "number"])
    op.create_table(
        "trial_outputs",
        Column("trial", Text(), nullable=False),
        Column("place", Integer(), autoincrement=False, nullable=False),
        Column("system", Text(), nullable=False),
        Column("truth", Text(), nullable=True),
        sa.ForeignKeyConstraint(["trial"], ["trials.id"], name="fk_trial_outputs_trial"),
        sa.PrimaryKeyConstraint("trial", "place", name="pk_trial_outputs"),
    )
    op.create_table(
        "booklets",
        Column("id", Text(), nullable=False),
        Column("round", Text(), nullable=False),
        Column("number", Integer(), nullable=False),
        Column("holder", Text(), nullable=True),
        Column("taken_at", TIME, nullable=True),
        sa.ForeignKeyConstraint(["holder"], ["raters.id"], name="fk_booklets_holder"),
        sa.ForeignKeyConstraint(["round"], ["plans.round"], name="fk_booklets_round"),
        sa.PrimaryKeyConstraint("id", name="pk_booklets"),
        sa.UniqueConstraint("round", "holder", name="uq_booklets_round_holder"),
        sa.UniqueConstraint("round", "number", name="uq_booklets_round_number"),
    )
    op.create_table(
        "slots",
        Column("id", Text(), nullable=False),
        Column("trial", Text(), nullable=False),
        Column("booklet", Text(), nullable=False),
        Column("position", Integer(), nullable=False),
        Column("number", Integer(), nullable=False),
        Column("repeat", Integer(), nullable=False),
        Column("shown_order", JSON, nullable=False),
        sa.ForeignKeyConstraint(["booklet"], ["booklets.id"], name="fk_slots_booklet"),
        sa.ForeignKeyConstraint(["trial"], ["trials.id"], name="fk_slots_trial"),
        sa.PrimaryKeyConstraint("id", name="pk_slots"),
        sa.UniqueConstraint("booklet", "position", name="uq_slots_booklet_position"),
    )
    op.create_index("ix_slots_trial", "slots", ["trial"])


def _make_assignments() -> None:
    op.create_table(
        "assignments",
        Column("id", Integer(), nullable=False),
        Column("slot", Text(), nullable=False),
        Column("trial", Text(), nullable=False),
        Column("repeat", Integer(), nullable=False),
        Column("rater", Text(), nullable=False),
        Column("position", Integer(), nullable=False),
        Column("claimed_at", TIME, nullable=False),
        Column("leased_until", TIME, nullable=False),
        Column("outcome", Text(), nullable=False),
        Column("ended_at", TIME, nullable=True),
        sa.ForeignKeyConstraint(["rater"], ["raters.id"], name="fk_assignments_rater"),
        sa.ForeignKeyConstraint(["slot"], ["slots.id"], name="fk_assignments_slot"),
        sa.ForeignKeyConstraint(["trial"], ["trials.id"], name="fk_assignments_trial"),
        sa.PrimaryKeyConstraint("id", name="pk_assignments"),
    )
    op.create_index("ix_assignments_rater", "assignments", ["rater"])
    op.create_index("ix_assignments_slot", "assignments", ["slot"])
    op.create_index(
        "uq_held_slot",
        "assignments",
        ["slot"],
        unique=True,
        sqlite_where=HELD,
        postgresql_where=HELD,
    )
    op.create_index(
        "uq_held_trial",
        "assignments",
        ["rater", "trial", "repeat"],
        unique=True,
        sqlite_where=HELD,
        postgresql_where=HELD,
    )


def _make_submissions() -> None:
    op.create_table(
        "submission_rows",
        Column("seq", Integer(), nullable=False),
        Column("id", Text(), nullable=False),
        Column("content", Text(), nullable=False),
        Column("rater", Text(), nullable=False),
        Column("rater_kind", Text(), nullable=False),
        Column("trial", Text(), nullable=False),
        Column("slot", Text(), nullable=True),
        Column("round", Text(), nullable=False),
        Column("study_version", Integer(), nullable=False),
        Column("session", Text(), nullable=False),
        Column("position", Integer(), nullable=True),
        Column("shown_order", JSON, nullable=False),
        Column("repeat", Integer(), nullable=False),
        Column("ms", sa.BigInteger(), nullable=True),
        Column("timing", JSON, nullable=False),
        Column("at", TIME, nullable=False),
        Column("received_at", TIME, nullable=False),
        Column("status", Text(), nullable=False),
        Column("reason", Text(), nullable=True),
        Column("comment", Text(), nullable=True),
        Column("correct", sa.Boolean(), nullable=True),
        sa.ForeignKeyConstraint(["rater"], ["raters.id"], name="fk_submission_rows_rater"),
        sa.ForeignKeyConstraint(["slot"], ["slots.id"], name="fk_submission_rows_slot"),
        sa.ForeignKeyConstraint(
            ["study_version"], ["versions.number"], name="fk_submission_rows_study_version"
        ),
        sa.ForeignKeyConstraint(["trial"], ["trials.id"], name="fk_submission_rows_trial"),
        sa.PrimaryKeyConstraint("seq", name="pk_submission_rows"),
        sa.UniqueConstraint("id", name="uq_submission_rows_id"),
    )
    op.create_index(
        "ix_submission_rows_rater_trial_seq", "submission_rows", ["rater", "trial", "seq"]
    )
    op.create_index("ix_submission_rows_trial", "submission_rows", ["trial"])


def _make_responses() -> None:
    op.create_table(
        "response_rows",
        Column("submission", Integer(), nullable=False),
        Column("number", Integer(), autoincrement=False, nullable=False),
        Column("shape", Text(), nullable=False),
        Column("criterion", Text(), nullable=False),
        Column("system", Text(), nullable=True),
        Column("score", sa.Double(), nullable=True),
        Column("winner", Text(), nullable=True),
        Column("first", Text(), nullable=True),
        Column("strength", sa.Double(), nullable=True),
        Column("rank", sa.Double(), nullable=True),
        Column("answer", Text(), nullable=True),
        Column("confidence", sa.Double(), nullable=True),
        Column("field", Text(), nullable=True),
        Column("start", Integer(), nullable=True),
        Column("end", Integer(), nullable=True),
        Column("category", Text(), nullable=True),
        Column("severity", Text(), nullable=True),
        Column("comment", Text(), nullable=True),
        sa.ForeignKeyConstraint(
            ["submission"], ["submission_rows.seq"], name="fk_response_rows_submission"
        ),
        sa.PrimaryKeyConstraint("submission", "number", name="pk_response_rows"),
    )


def _make_journal() -> None:
    op.create_table(
        "drafts",
        Column("rater", Text(), nullable=False),
        Column("trial", Text(), nullable=False),
        Column("body", JSON, nullable=False),
        Column("at", TIME, nullable=False),
        sa.ForeignKeyConstraint(["rater"], ["raters.id"], name="fk_drafts_rater"),
        sa.ForeignKeyConstraint(["trial"], ["trials.id"], name="fk_drafts_trial"),
        sa.PrimaryKeyConstraint("rater", "trial", name="pk_drafts"),
    )
    op.create_table(
        "events",
        Column("id", Integer(), nullable=False),
        Column("kind", Text(), nullable=False),
        Column("rater", Text(), nullable=True),
        Column("trial", Text(), nullable=True),
        Column("detail", JSON, nullable=False),
        Column("at", TIME, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_events"),
    )
    op.create_index("ix_events_kind", "events", ["kind"])


def _refuse_changes(table: str) -> None:
    """Let the database itself refuse to change or remove a row."""
    if op.get_bind().dialect.name == "sqlite":
        for change in ("UPDATE", "DELETE"):
            op.execute(
                f"CREATE TRIGGER {table}_no_{change.lower()} BEFORE {change} ON {table} "
                f"BEGIN SELECT RAISE(ABORT, '{table} is append-only'); END"
            )
        return
    op.execute(
        f"CREATE FUNCTION {table}_refuse() RETURNS trigger LANGUAGE plpgsql AS "
        f"$$BEGIN RAISE EXCEPTION '{table} is append-only'; END$$"
    )
    op.execute(
        f"CREATE TRIGGER {table}_append_only BEFORE UPDATE OR DELETE ON {table} "
        f"FOR EACH ROW EXECUTE FUNCTION {table}_refuse()"
    )
