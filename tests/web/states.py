"""Every page in every state it can be in, and how a person gets there.

Accessibility, content policy and screenshots iterate over this list; a test fails when a template
or a route is missing from it.
"""

from __future__ import annotations

from tests.web.organizer_states import ORGANIZER_ROUTES, ORGANIZER_STATES
from tests.web.product import MOMENT_STATES
from tests.web.reaching import (
    at_stage,
    at_trial,
    click,
    declined,
    edit,
    full,
    group_full,
    guide_file,
    headphones_test,
    held,
    loop,
    more,
    mturk,
    mturk_end,
    nowhere,
    offline,
    one_vote,
    paused,
    press,
    ranked,
    screened_out,
    taken,
    then,
    uninvited,
    unkept,
    unlooked,
    unseen,
    wait,
    wait_long,
    welcome,
    without,
)
from tests.web.settling import play_endlessly
from tests.web.state import State

TRIAL = ("rater.html", "shell.html", "dialogs.html", "trial.html", "block.html", "question.html")
FAILED = ("Failed to load resource", "net::ERR")
REFUSED = ("status of 401", "status of 409")

BROKEN = ("Failed to load resource",)

STATES = (
    State(
        name="welcome",
        study="rate",
        reach=welcome,
        templates=("stage-welcome.html", "about.html"),
    ),
    State(name="welcome-rules", study="rules", reach=welcome),
    State(
        name="mturk-preview",
        study="mturk",
        reach=mturk("ASSIGNMENT_ID_NOT_AVAILABLE"),
        templates=("stage-mturk-preview.html",),
    ),
    State(name="mturk-welcome", study="mturk", reach=mturk("A1")),
    State(name="mturk-end", study="mturk", reach=mturk_end),
    State(name="welcome-uninvited", study="groups", reach=uninvited),
    State(name="welcome-id-taken", study="rank", reach=taken, expect=REFUSED),
    State(
        name="consent", study="rate", reach=at_stage("consent"), templates=("stage-consent.html",)
    ),
    State(name="declined", study="rate", reach=declined, templates=("stage-declined.html",)),
    State(name="survey", study="rate", reach=at_stage("survey"), templates=("stage-survey.html",)),
    State(name="guide", study="rate", reach=at_stage("guide"), templates=("stage-guide.html",)),
    State(name="guide-examples", study="examples", reach=at_stage("guide")),
    State(name="trial-media-examples", study="examples", reach=then(wait(".listen"))),
    State(
        name="headphones-volume",
        study="headphones",
        reach=at_stage("headphones"),
        templates=("stage-headphones.html",),
    ),
    State(name="headphones-test", study="headphones", reach=headphones_test),
    State(name="practice", study="rate", reach=then()),
    State(
        name="practice-right",
        study="rate",
        reach=then(press("0", "5", "End", "Enter"), wait(".feedback[data-right=yes]")),
        templates=("feedback.html",),
    ),
    State(
        name="practice-wrong",
        study="rate",
        reach=then(press("2", "5", "End", "Enter"), wait(".feedback[data-right=no]")),
    ),
    State(
        name="practice-wrong-rows",
        study="mushra-practice",
        reach=then(press("a", "Home", "b", "Home", "Enter"), wait(".row-told")),
    ),
    State(
        name="screened-out",
        study="detect",
        reach=screened_out,
        templates=("stage-screened-out.html",),
    ),
    State(name="trial-compare", study="compare", reach=then(), templates=TRIAL),
    State(name="trial-compare-answered", study="compare", reach=then(press("1", "3"))),
    State(name="trial-graded", study="graded", reach=then(press("3"))),
    State(name="trial-sides", study="sides", reach=then(press("3", "4"))),
    State(name="trial-sides-missing", study="sides", reach=then(click("[data-submit]"))),
    State(name="trial-anchors-open", study="sides", reach=then(press("o"))),
    State(name="trial-differences", study="compare", reach=then(press("d"))),
    State(name="trial-unseen", study="graded", reach=unlooked),
    State(name="trial-rank", study="rank", reach=then()),
    State(name="trial-rank-partly", study="rank", reach=then(press("c", "a", "="))),
    State(name="trial-rank-done", study="rank", reach=then(press("c", "a", "=", "b", "d"))),
    State(name="trial-best", study="best", reach=then(press("b"))),
    State(name="trial-best-zoomed", study="best", reach=then(press("z"))),
    State(name="trial-detect", study="detect", reach=then(press("r"))),
    State(name="trial-mark", study="mark", reach=then()),
    State(
        name="trial-mark-pending",
        study="mark",
        reach=then(click(".word >> nth=1"), click(".word >> nth=2")),
    ),
    State(
        name="trial-mark-marked",
        study="mark",
        reach=then(click(".word >> nth=1"), click(".word >> nth=2"), press("1", "2")),
    ),
    State(
        name="trial-mark-editing",
        study="mark",
        reach=then(click(".word >> nth=1"), click(".word >> nth=2"), press("1", "2"), edit),
    ),
    State(name="trial-media", study="media", reach=then()),
    State(name="trial-pair", study="pair", reach=then()),
    State(name="trial-pair-zoomed", study="pair", reach=then(press("z"))),
    State(name="trial-pair-wipe", study="pair", reach=then(press("w"), wait(".overlay"))),
    State(name="trial-pair-flicker", study="pair", reach=then(press("f"), wait(".overlay"))),
    State(name="trial-picture-loading", study="pair", reach=held(wait(".loading"))),
    State(
        name="trial-picture-awaited",
        study="pair",
        reach=held(press("1", "Enter"), wait(".problem:not([hidden])")),
    ),
    State(name="trial-picture-late", study="pair", reach=held(wait_long, press("1", "Enter"))),
    State(
        name="trial-picture-broken",
        study="broken",
        reach=then(wait(".broken"), press("1", "Enter"), wait(".problem:not([hidden])")),
        expect=BROKEN,
    ),
    State(name="trial-picture-over", study="brief", reach=then(wait(".picture.over"))),
    State(name="trial-picture-wanted", study="look", reach=unseen),
    State(name="trial-sounds", study="sounds", reach=then(wait(".listen"))),
    State(
        name="trial-sounds-playing",
        study="sounds",
        reach=then(wait(".listen"), play_endlessly, press("b", "l"), wait(".listen.playing")),
    ),
    State(name="trial-sounds-loading", study="sounds", reach=held(wait(".loading"))),
    State(name="trial-sounds-late", study="sounds", reach=held(wait_long)),
    State(name="trial-mushra-late", study="mushra", reach=held(wait_long, press("Enter"))),
    State(name="trial-mushra-loading", study="mushra", reach=held(wait(".loading"))),
    State(name="trial-films-loading", study="films", reach=held(wait(".loading"))),
    State(name="trial-films-late", study="films", reach=held(wait_long)),
    State(
        name="trial-sounds-broken",
        study="broken-sound",
        reach=then(wait(".broken"), wait(".listen")),
        expect=BROKEN,
    ),
    State(
        name="trial-sounds-wanted",
        study="heard",
        reach=then(wait(".listen"), press("1", "Enter"), wait(".problem:not([hidden])")),
    ),
    State(name="trial-films", study="films", reach=then(wait(".listen"))),
    State(
        name="trial-films-broken",
        study="films",
        reach=without("media", ".broken"),
        expect=FAILED,
    ),
    State(
        name="trial-mushra",
        study="mushra",
        reach=then(wait(".row .listen")),
        templates=("rows.html",),
    ),
    State(name="trial-mushra-looped", study="mushra", reach=then(wait(".row .listen"), loop)),
    State(
        name="trial-mushra-rating",
        study="mushra",
        reach=then(
            wait(".row .listen"), play_endlessly, press("c", "ArrowRight"), wait(".row .playing")
        ),
    ),
    State(
        name="trial-mushra-broken",
        study="mushra",
        reach=without("fetch", ".row .broken"),
        expect=FAILED,
    ),
    State(name="trial-comment", study="mark", reach=then(press("c"))),
    State(name="offline", study="graded", reach=then(offline), expect=FAILED),
    State(
        name="dialog-guide",
        study="rank",
        reach=then(press("i"), wait("#dialog-guide[open]")),
    ),
    State(name="dialog-keys", study="mark", reach=then(press("?"), wait("#dialog-keys[open]"))),
    State(
        name="dialog-keys-changing",
        study="compare",
        reach=then(press("?"), wait("#dialog-keys[open]"), click("[data-remap=skip]")),
    ),
    State(name="dialog-skip", study="compare", reach=then(press("s"), wait("#dialog-skip[open]"))),
    State(
        name="dialog-problem",
        study="rank",
        reach=then(click("[data-open=problem] >> visible=true"), wait("#dialog-problem[open]")),
    ),
    State(name="trial-looking-back", study="rank", reach=then(ranked, click("#back"), at_trial(1))),
    State(
        name="dialog-jump",
        study="rank",
        reach=then(ranked, click("#jump"), wait("#dialog-jump[open]")),
    ),
    State(name="trial-unkept", study="rank", reach=unkept),
    State(name="dialog-stop", study="rank", reach=then(click("[data-open=stop]"))),
    State(name="break", study="compare", reach=then(one_vote), templates=("stage-break.html",)),
    State(name="more", study="shared", reach=more, templates=("stage-more.html",)),
    State(
        name="stopped",
        study="rank",
        reach=then(
            click("[data-open=stop]"),
            click("#dialog-stop .primary"),
            wait("main[data-stage=stopped]"),
        ),
        templates=("stage-stopped.html", "code.html"),
    ),
    State(
        name="withdrawn",
        study="rank",
        reach=then(
            ranked,
            click("[data-open=stop]"),
            click("#dialog-stop .primary"),
            click("[data-withdraw]"),
            click("#dialog-withdraw .danger"),
            wait("main[data-stage=withdrawn]"),
        ),
        templates=("stage-withdrawn.html",),
    ),
    State(name="full", study="rank", reach=full, templates=("stage-full.html",)),
    State(
        name="group-full",
        study="groups",
        reach=group_full,
        templates=("stage-group-full.html",),
    ),
    State(name="paused", study="rank", reach=paused, templates=("stage-paused.html",)),
    State(
        name="end",
        study="graded",
        reach=then(press("3", "Enter"), wait("main[data-stage=end]")),
        templates=("stage-end.html",),
    ),
    State(
        name="problem",
        study="rank",
        reach=nowhere,
        templates=("problem.html",),
        expect=("status of 404",),
    ),
    State(name="guide-file", study="rate", reach=guide_file, templates=("guide.html",)),
    *ORGANIZER_STATES,
    *MOMENT_STATES,
)

ROUTES = {
    "GET /": "welcome",
    "GET /media/{name}": "trial-best",
    "GET /static": "welcome",
    "POST /api/enroll": "consent",
    "GET /api/next": "consent",
    "POST /api/consent": "survey",
    "POST /api/survey": "guide",
    "GET /api/guide": "dialog-guide",
    "POST /api/guide": "practice",
    "POST /api/headphones": "headphones-test",
    "POST /api/submit": "end",
    "PUT /api/draft": "trial-compare-answered",
    "GET /api/past/{assignment}": "trial-looking-back",
    "POST /api/problem": "dialog-problem",
    "POST /api/leave": "dialog-jump",
    "POST /api/break": "break",
    "POST /api/more": "more",
    "POST /api/stop": "stopped",
    "POST /api/withdraw": "withdrawn",
    **ORGANIZER_ROUTES,
}
"""Every route, with a state in which a person meets it or what it does."""
