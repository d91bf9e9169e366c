"""axe-core looks at a page as it stands, in light and in dark."""

from axe_playwright_python.sync_playwright import Axe

# Streamlit's own: a section that it marks as nothing but decoration, and yet names.
NOT_OURS = {"exclude": [['[data-testid="stFileUploaderDropzone"]']]}
# The themes differ in colours alone, so the second one is looked at with the rules about colours.
ABOUT_COLOURS = {"runOnly": {"type": "rule", "values": ["color-contrast", "link-in-text-block"]}}
OTHER = {"light": "dark", "dark": "light"}
PAINTED = """(dark) => {
    const style = getComputedStyle(document.querySelector(".qkv-bench"));
    const isLight = parseInt(style.getPropertyValue("--st-text-color").trim().slice(1, 3), 16) > 128;
    return isLight === dark && document.getAnimations().every((one) => !(one instanceof CSSTransition));
}"""


def check(page):
    """Finds nothing to complain about, in either theme; the page is left in the theme it had."""
    scheme = page.evaluate("matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'")
    nothing_wrong(page)
    turn(page, OTHER[scheme])
    nothing_wrong(page, ABOUT_COLOURS)
    turn(page, scheme)


def turn(page, scheme):
    page.emulate_media(color_scheme=scheme)
    page.wait_for_function(PAINTED, arg=scheme == "dark")


def nothing_wrong(page, rules=None):
    found = Axe().run(page, context=NOT_OURS, options=rules)
    assert found.violations_count == 0, found.generate_report()
