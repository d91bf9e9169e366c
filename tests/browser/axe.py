"""axe-core looks at a page as it stands, in light and in dark."""

from axe_playwright_python.base import AXE_SCRIPT, AxeResults

# Streamlit's own: a section that it marks as nothing but decoration, and yet names.
NOT_OURS = {"exclude": [['[data-testid="stFileUploaderDropzone"]']]}
VIOLATIONS = {"resultTypes": ["violations"]}  # what is well need not be written down
# The themes differ in colours alone, so the second one is looked at with the rules about colours.
COLOURS = {"runOnly": {"type": "rule", "values": ["color-contrast", "link-in-text-block"]}}
OTHER = {"light": "dark", "dark": "light"}
# Colours on their way to others are brought there: a page in which something always moves would never be at rest.
PAINTED = """(dark) => {
    const moving = document.getAnimations().filter((one) => one instanceof CSSTransition);
    for (const one of moving) one.finish();
    const style = getComputedStyle(document.querySelector(".qkv-bench"));
    const isLight = parseInt(style.getPropertyValue("--st-text-color").trim().slice(1, 3), 16) > 128;
    return isLight === dark && !moving.length;
}"""


def check(page):
    """Finds nothing to complain about, in either theme; the page is left in the theme it had."""
    scheme = page.evaluate("matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'")
    nothing_wrong(page)
    turn(page, OTHER[scheme])
    nothing_wrong(page, COLOURS)
    turn(page, scheme)


def turn(page, scheme):
    page.emulate_media(color_scheme=scheme)
    page.wait_for_function(PAINTED, arg=scheme == "dark", polling=20)  # not by frames: a page may draw none


def nothing_wrong(page, rules=None):
    if page.evaluate("!window.axe"):
        page.evaluate(AXE_SCRIPT)
    given = [NOT_OURS, VIOLATIONS | (rules or {})]
    found = AxeResults(page.evaluate("([context, options]) => axe.run(context, options)", given))
    assert found.violations_count == 0, found.generate_report()
