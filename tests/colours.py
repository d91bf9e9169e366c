"""Colours as numbers: how far apart two are, how well one is read on another, what colour-blind eyes see.

    far_apart(as_seen(rgb("#0072b2"), "deuteranopia"), as_seen(rgb("#d55e00"), "deuteranopia"))

Colours are sRGB from 0 to 1. Distances are CIEDE2000 (1 is just visible side by side); contrast is WCAG's.
"""

import re

import numpy as np

# What is left of red, green and blue light for an eye that lacks one kind of cone:
# Machado, Oliveira and Fernandes 2009, severity 1, on linear light.
EYES = {
    "all cones": np.eye(3),
    "protanopia": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    ),
    "deuteranopia": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
    ),
    "tritanopia": np.array(
        [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]]
    ),
}
TO_XYZ = np.array(
    [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]]
)
WHITE = TO_XYZ.sum(axis=1)


def rgb(text):
    """A colour as a style sheet writes it: #rrggbb or rgb(...); what is transparent in it is left out."""
    if text.startswith("#"):
        return np.array([int(text[place : place + 2], 16) for place in (1, 3, 5)]) / 255
    return np.array([float(number) for number in re.findall(r"[\d.]+", text)[:3]]) / 255


def over(colour, share, ground):
    """A colour that covers its ground to a share, as `color-mix(in srgb, ...)` and an opacity do."""
    return share * colour + (1 - share) * ground


def linear(colour):
    colour = np.asarray(colour, float)
    return np.where(colour <= 0.04045, colour / 12.92, ((colour + 0.055) / 1.055) ** 2.4)


def from_linear(light):
    light = np.clip(light, 0, 1)
    return np.where(light <= 0.0031308, light * 12.92, 1.055 * light ** (1 / 2.4) - 0.055)


def as_seen(colour, eye):
    """The colour that looks to everybody as this one looks to that eye."""
    return from_linear(EYES[eye] @ linear(colour))


def luminance(colour):
    return float(linear(colour) @ np.array([0.2126, 0.7152, 0.0722]))


def contrast(one, other):
    """From 1 (none) to 21, as WCAG counts."""
    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def lab(colour):
    """Lightness and the two opponent axes of CIELAB (D65)."""
    ratio = TO_XYZ @ linear(colour) / WHITE
    x, y, z = np.where(ratio > (6 / 29) ** 3, np.cbrt(ratio), ratio / (3 * (6 / 29) ** 2) + 4 / 29)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def lightness(colour):
    return float(lab(colour)[0])


def far_apart(one, other):
    """CIEDE2000 between two colours."""
    return distance_of_labs(lab(one), lab(other))


def distance_of_labs(one, other):
    (l1, a1, b1), (l2, a2, b2) = one, other
    mean = (np.hypot(a1, b1) + np.hypot(a2, b2)) / 2
    stretch = 1 + 0.5 * (1 - np.sqrt(mean**7 / (mean**7 + 25**7)))
    c1, c2 = np.hypot(stretch * a1, b1), np.hypot(stretch * a2, b2)
    h1, h2 = (np.degrees(np.arctan2(b, stretch * a)) % 360 for a, b in ((a1, b1), (a2, b2)))
    grey = c1 * c2 == 0
    turn = 0 if grey else (h2 - h1 + 180) % 360 - 180
    hue = h1 + h2 if grey else ((h1 + h2) / 2 if abs(h1 - h2) <= 180 else ((h1 + h2 + 360) / 2) % 360)
    dl, dc, dh = l2 - l1, c2 - c1, 2 * np.sqrt(c1 * c2) * np.sin(np.radians(turn / 2))
    light, chroma = (l1 + l2) / 2, (c1 + c2) / 2
    waves = np.cos(np.radians([hue - 30, 2 * hue, 3 * hue + 6, 4 * hue - 63]))
    t = 1 + np.array([-0.17, 0.24, 0.32, -0.20]) @ waves
    sl = 1 + 0.015 * (light - 50) ** 2 / np.sqrt(20 + (light - 50) ** 2)
    sc, sh = 1 + 0.045 * chroma, 1 + 0.015 * chroma * t
    bend = np.sin(np.radians(60 * np.exp(-(((hue - 275) / 25) ** 2))))
    rt = -2 * np.sqrt(chroma**7 / (chroma**7 + 25**7)) * bend
    return float(np.sqrt((dl / sl) ** 2 + (dc / sc) ** 2 + (dh / sh) ** 2 + rt * dc / sc * dh / sh))
