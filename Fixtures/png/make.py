# SPDX-License-Identifier: Apache-2.0
# Copyright the KeyedArchiver authors
"""Makes the files of this folder again: python3 make.py (needs Pillow).

What Pillow can write, Pillow writes; the rest is written here with Python's own zlib. The pixels expected of every file
(pixels.tsv) are those that Pillow's decoder, libpng, gives, never those of the code under test.
"""
import hashlib, io, os, random, struct, zlib

from PIL import Image, ImageDraw

os.chdir(os.path.dirname(os.path.abspath(__file__)))
random.seed(20)


def drawing(width, height):
    image = Image.new("RGBA", (width * 4, height * 4), (0, 0, 0, 0))
    draw = ImageDraw.Draw(image)
    draw.ellipse((8, 8, width * 4 - 8, height * 4 - 8), fill=(90, 200, 120, 255))
    draw.ellipse((40, 50, 80, 110), fill=(20, 20, 30, 255))
    draw.rectangle((100, 60, 130, 100), fill=(250, 60, 40, 160))
    return image.resize((width, height), Image.LANCZOS)


def chunk(kind, content):
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))


def png(header, rows, compress=zlib.compress, split=None, extra=b""):
    data = compress(rows)
    parts = [data] if split is None else [data[i:i + split] for i in range(0, len(data), split)]
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", *header)) + extra
            + b"".join(chunk(b"IDAT", p) for p in parts) + chunk(b"IEND", b""))


def strategy(which, level=9):
    def compress(data):
        c = zlib.compressobj(level, zlib.DEFLATED, 15, 9, which)
        return c.compress(data) + c.flush()
    return compress


def flushing(data):
    """A stored, a fixed and a dynamic block, and empty ones between, in one stream."""
    c = zlib.compressobj(6)
    out = b""
    for i in range(0, len(data), 97):
        out += c.compress(data[i:i + 97]) + c.flush((zlib.Z_SYNC_FLUSH, zlib.Z_FULL_FLUSH, zlib.Z_PARTIAL_FLUSH)[i % 3])
    return out + c.flush()


def interlaced(image):
    """Adam7, by hand: Pillow only reads it."""
    channels = len(image.getbands())
    out = b""
    for x0, y0, dx, dy in ((0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)):
        for y in range(y0, image.height, dy):
            row = b"".join(bytes(image.getpixel((x, y))) for x in range(x0, image.width, dx))
            if row:
                out += b"\0" + row
    color = {3: 2, 4: 6}[channels]
    return png((image.width, image.height, 8, color, 0, 0, 1), out)


def write(name, data):
    with open(name, "wb") as file:
        file.write(data)


rgba = drawing(48, 40)
rgb = Image.alpha_composite(Image.new("RGBA", rgba.size, (240, 230, 200, 255)), rgba).convert("RGB")
photo = Image.frombytes("RGB", (8, 6), random.randbytes(8 * 6 * 3)).resize((48, 40), Image.BICUBIC)
rgba.save("rgba.png")
rgb.save("rgb.png")
photo.save("photo.png")
photo.convert("L").save("gray.png")
rgba.convert("LA").save("gray-alpha.png")
photo.convert("1").save("gray-1-bit.png")
Image.frombytes("I;16", (9, 7), random.randbytes(9 * 7 * 2)).save("gray-16-bit.png")
rgba.quantize(40).save("palette-transparent.png")
rgb.quantize(13).save("palette-4-bit.png", bits=4)
rgb.quantize(3).save("palette-2-bit.png", bits=2)
rgb.save("rgb-transparent-color.png", transparency=rgb.getpixel((0, 0)))
write("interlaced-rgba.png", interlaced(rgba))
write("interlaced-rgb.png", interlaced(photo.crop((3, 3, 24, 16))))

header = (rgb.width, rgb.height, 8, 2, 0, 0, 0)
plain = b"".join(b"\0" + rgb.crop((0, y, rgb.width, y + 1)).tobytes() for y in range(rgb.height))
write("deflate-stored.png", png(header, plain, strategy(zlib.Z_DEFAULT_STRATEGY, 0)))
write("deflate-fixed.png", png(header, plain, strategy(zlib.Z_FIXED)))
write("deflate-huffman-only.png", png(header, plain, strategy(zlib.Z_HUFFMAN_ONLY)))
gray = rgb.convert("L")
gray_rows = b"".join(b"\0" + gray.crop((0, y, gray.width, y + 1)).tobytes() for y in range(gray.height))
write("deflate-runs.png", png((gray.width, gray.height, 8, 0, 0, 0, 0), gray_rows, strategy(zlib.Z_RLE)))
write("deflate-many-blocks.png", png(header, plain, flushing))
write("chunks-of-one-byte.png", png(header, plain, split=1))
tail = io.BytesIO()
photo.save(tail, "PNG")
write("trailing-bytes.png", tail.getvalue() + b"left behind by a careless editor")

with open("pixels.tsv", "w") as table:
    for name in sorted(n for n in os.listdir(".") if n.endswith(".png")):
        if name.startswith(("bomb", "named-")):
            continue
        image = Image.open(name)
        if image.mode.startswith("I"):
            samples = image.tobytes()  # least significant byte first
            pixels = b"".join(bytes([high] * 3 + [255]) for high in samples[1::2])
        else:
            pixels = image.convert("RGBA").tobytes()
        table.write(f"{name}\t{image.width}\t{image.height}\t{hashlib.sha256(pixels).hexdigest()}\n")

for kind in ("JPEG", "GIF", "WEBP", "BMP", "TIFF", "ICO", "PDF", "AVIF", "JPEG2000"):
    photo.save(f"named-png-but-{kind.lower()}.png", kind)
write("bomb-more-rows-than-claimed.png", png((1, 1, 8, 0, 0, 0, 0), bytes(4 << 20)))
write("bomb-claims-gigabytes.png", png((60000, 60000, 8, 6, 0, 0, 0), bytes(4 << 20)))
