"""What every score of the ImagenHub templates means.

2 is what the field should reach, 1 is decent, 0.5 has minor flaws, 0 has serious ones. In the
three-point form (0, 0.5, 1; the published ratings use it) the best value stands for both 1 and 2.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from jurybox.study.templates.imagenhub.parts import Anchors, Input, Rubric

__all__ = ["RUBRICS"]

REAL_LOOK = (
    "Light and shadow that come from one side, textures, depth, whole objects; then noise, blur, "
    "smears, visible borders, watermarks."
)

REAL_GENERAL: Final = Anchors(
    question="Perceptual realism: does the picture look real?",
    look_for=REAL_LOOK,
    two="Convincing throughout: light, shadow, texture, sense of distance and the picture as a "
    "whole all look real.",
    one="Looks real, with next to no distortion and hardly anything incomplete.",
    half="Minor distortion, an incomplete part or another flaw, such as a watermark, that does not "
    "spoil the whole.",
    zero="Obvious noise or distortion, or plainly incomplete.",
    best_of_three="Looks real: nothing, or next to nothing, is distorted or incomplete.",
)

REAL_EDITING: Final = replace(
    REAL_GENERAL,
    two="Convincing throughout, without any distortion: light, shadow, texture, sense of distance "
    "and the picture as a whole all look real.",
    one="Looks real on the whole; small flaws on unimportant objects.",
    half="Minor flaws, such as blur or an unreal look, on important objects; they do not spoil the "
    "whole.",
    zero="A large part of the picture is noise, distorted, incomplete or flawed in another way.",
    best_of_three="Looks real on the whole: no flaws, or only small ones on unimportant objects.",
)

REAL_SUBJECT_EDITING: Final = replace(
    REAL_EDITING,
    two=REAL_GENERAL.two,
    zero="A large part of the object or of the background is noise, distorted or incomplete.",
)

REAL_SUBJECT_GENERATION: Final = replace(
    REAL_EDITING,
    two="Convincing throughout: light, shadow, texture, the details of the background and the "
    "picture as a whole all look real.",
    zero=REAL_GENERAL.zero,
)

REAL_STYLE: Final = replace(
    REAL_GENERAL,
    question="Perceptual realism: does the picture convince as a finished work in its style?",
    look_for="Whole objects, depth, an even hand; then noise, smears, visible borders, watermarks. "
    "Strokes and dots that belong to the style are no flaw.",
    two="Convincing: it could be a finished work by a careful hand.",
)

EDITING: Final = Anchors(
    question="Semantic consistency: does the output do what was asked, and nothing else?",
    look_for="First the key instruction, then everything that should have stayed as it was.",
    two="Everything asked for is done, and nothing was changed needlessly.",
    one="Everything asked for is done, but something else was changed needlessly.",
    half="Only some of it is done, or it is done in an unnatural or incomplete way.",
    zero="The key instruction is missed, or the background is a completely different one.",
    best_of_three="Everything asked for is done; at most something else was changed needlessly.",
)

SUBJECT_EDITING: Final = Anchors(
    question="Semantic consistency: is this the intended subject, in the picture as it was?",
    look_for="Kind, color and proportions of the subject; then its face, pattern and texture; then "
    "the background.",
    two="The intended subject in every visible trait.",
    one="Fine traits of the subject are off, such as its face or texture, or the background "
    "changed "
    "a little.",
    half="Plain traits of the subject are off, such as its color or proportions, or the background "
    "changed in a way that is easily seen.",
    zero="Little resemblance to the subject, or a completely different background.",
    best_of_three="The intended subject; at most fine traits such as its face or texture are off, "
    "or the background changed a little.",
)

SUBJECT_GENERATION: Final = Anchors(
    question="Semantic consistency: is this the given subject, in the place that was described?",
    look_for="Kind, color and proportions of the subject; then its face, pattern and texture; then "
    "whether the background fits the description.",
    two="The right subject, and the background matches the description.",
    one="Fine traits of the subject are off, such as its face or texture; the background matches.",
    half="Plain traits of the subject are off, such as its color or proportions; the background "
    "matches.",
    zero="Little resemblance to the subject, or a background that does not fit the description.",
    best_of_three="The right subject, at most with fine traits off, and the background matches the "
    "description.",
)

MULTI_SUBJECT: Final = Anchors(
    question="Semantic consistency: are both subjects right, and do they do what was described?",
    look_for="Is every subject there? Then the color, proportions, material and face of each; then "
    "the action between them.",
    two="All subjects are right, and the action matches exactly.",
    one="Fine traits of one subject are off; or all are right and the action matches only to a "
    "degree.",
    half="Plain traits of one subject are off; or all are right but the action does not match.",
    zero="Little resemblance to the subjects, or one of them is missing.",
    best_of_three="All subjects are right, at most with fine traits of one off, and the action "
    "matches, at least to a degree.",
)

CONTROL: Final = Anchors(
    question="Semantic consistency: does the output follow both the description and the control?",
    look_for="Each thing described; then whether its outline lies where the control has it; then "
    "things nobody asked for.",
    two="Everything described is there and works together with the control.",
    one="Everything described is there, but needless objects harm the scene.",
    half="Only some of it is there, or it is unnatural or incomplete.",
    zero="Nothing of the description or the control is followed.",
    best_of_three="Everything described is there, following the control; at most needless objects "
    "disturb.",
)

STYLE: Final = Anchors(
    question="Semantic consistency: is it painted in the given style, and does it show what was "
    "described?",
    look_for="Palette, stroke and kind of paint; then every object of the description.",
    two="Palette, stroke and kind of paint match the style, and the description is fully met.",
    one="The style matches; minor objects of the description are missing.",
    half="The style is only partly similar.",
    zero="The style is plainly different, or the objects do not match the description.",
    best_of_three="The style matches, and the description is met but for minor objects at most.",
)

TEXT_TO_IMAGE: Final = Anchors(
    question="Semantic consistency: does the picture show what was described?",
    look_for="Every object with its number, color, place and action; then texture, shade and small "
    "shapes.",
    two="Everything described is there, exactly as described.",
    one="Everything is there, but fine features are off: a texture, a shade, a small shape.",
    half="Plain features are off: a color, a number, a place or an action.",
    zero="Most of what was described is missing.",
    best_of_three="Everything described is there; at most fine features, such as a texture or a "
    "shade, are off.",
)

INSTRUCTION: Final = Input(
    name="instruction", medium="text", caption="Instruction", comment="what was asked for"
)
DESCRIPTION: Final = Input(
    name="description", medium="text", caption="Description", comment="what was asked for"
)


def _picture(name: str, caption: str, comment: str) -> Input:
    return Input(name=name, medium="image", caption=caption, comment=comment, reference=True)


RUBRICS: Final[dict[str, Rubric]] = {
    "text-guided-editing": Rubric(
        title="Text-guided image editing",
        summary="An edit by instruction",
        opening="A system was given a picture and an instruction that says what to change. You see "
        "the instruction, the input and the system's output.",
        look_for=(
            "Read the instruction first and find its key word: what must be different?",
            "Compare input and output part by part; what was not mentioned should have stayed.",
            "Look at borders around what was changed, at faces and hands, and at the background.",
        ),
        inputs=(INSTRUCTION, _picture("input", "Input", "the picture before the edit")),
        consistency=EDITING,
        realism=REAL_EDITING,
    ),
    "mask-guided-editing": Rubric(
        title="Mask-guided image editing",
        summary="An edit within a mask",
        opening="A system was given a picture, a mask and an instruction. Only the white part of "
        "the mask was to be changed. You see instruction, input, mask and the system's output.",
        look_for=(
            "Inside the mask: is the thing asked for there, clear and complete?",
            "Outside the mask: everything should be as it was.",
            "Along the border of the mask: does the new part blend in, with the same light?",
        ),
        inputs=(
            INSTRUCTION,
            _picture("input", "Input", "the picture before the edit"),
            _picture("mask", "Mask", "white where the picture may change"),
        ),
        consistency=EDITING,
        realism=REAL_EDITING,
    ),
    "subject-driven-editing": Rubric(
        title="Subject-driven image editing",
        summary="A subject put into a picture",
        opening="A system was given a picture and a subject, and was asked to put that very "
        "subject "
        "into the picture. You see the instruction, the input, the subject and the system's "
        "output.",
        look_for=(
            "Is it the same subject, or only the same kind of thing?",
            "Compare color and proportions first, then face, pattern and texture.",
            "The rest of the picture should have stayed as it was.",
        ),
        inputs=(
            INSTRUCTION,
            _picture("input", "Input", "the picture before the edit"),
            _picture("subject", "Subject", "the subject to put in"),
        ),
        consistency=SUBJECT_EDITING,
        realism=REAL_SUBJECT_EDITING,
    ),
    "subject-driven-generation": Rubric(
        title="Subject-driven image generation",
        summary="A subject in a new place",
        opening="A system was given a subject and a description of a new scene for it. You see the "
        "description, the subject and the system's output.",
        look_for=(
            "Is it the same subject, or only the same kind of thing?",
            "Compare color and proportions first, then face, pattern and texture.",
            "Does the background fit the description?",
        ),
        inputs=(DESCRIPTION, _picture("subject", "Subject", "the subject to show")),
        consistency=SUBJECT_GENERATION,
        realism=REAL_SUBJECT_GENERATION,
    ),
    "multi-subject-generation": Rubric(
        title="Multi-subject image generation",
        summary="Two subjects and an action",
        opening="A system was given two subjects and a description of what they do together. You "
        "see the description, both subjects and the system's output.",
        look_for=(
            "Are both subjects there?",
            "Compare each with its own picture: color, proportions, material, face.",
            "Does the action happen as described, or do they merely stand there?",
        ),
        inputs=(
            DESCRIPTION,
            _picture("first_subject", "First subject", "one subject"),
            _picture("second_subject", "Second subject", "the other subject"),
        ),
        consistency=MULTI_SUBJECT,
        realism=REAL_SUBJECT_GENERATION,
    ),
    "control-guided-generation": Rubric(
        title="Control-guided image generation",
        summary="A picture along given lines",
        opening="A system was given a control, here a drawing of edges, and a description. You see "
        "the description, the control and the system's output.",
        look_for=(
            "Is everything described in the picture?",
            "Do its outlines lie where the control has its lines?",
            "Is there anything that neither description nor control asks for?",
        ),
        inputs=(DESCRIPTION, _picture("control", "Control", "the lines to follow")),
        consistency=CONTROL,
        realism=REAL_EDITING,
    ),
    "style-guided-generation": Rubric(
        title="Style-guided image generation",
        summary="A picture in a given style",
        opening="A system was given a painting as the style to follow and a description of what to "
        "paint. You see the description, the style and the system's output.",
        look_for=(
            "Compare palette, stroke and kind of paint with the style; its motif does not matter.",
            "Is every object of the description there?",
            "A flaw is what a careful painter would not have left: smears, noise, a watermark.",
        ),
        inputs=(DESCRIPTION, _picture("style", "Style", "a work in the style to follow")),
        consistency=STYLE,
        realism=REAL_STYLE,
        as_photograph=False,
    ),
    "text-to-image": Rubric(
        title="Text-to-image generation",
        summary="A picture from a text",
        opening="A system was given a description and made a picture of it. You see the "
        "description "
        "and the system's output.",
        look_for=(
            "Go through the description word by word: objects, numbers, colors, places, actions.",
            "Count legs, arms and fingers; look at faces and hands.",
            "Does the light come from one side? Are distances believable?",
        ),
        inputs=(DESCRIPTION,),
        consistency=TEXT_TO_IMAGE,
        realism=REAL_GENERAL,
    ),
}
