import { decode, encode } from "fast-png";

const MOST_COLORS = 256;
/**
 * Colors nearer than this are one: mostly the shades at the edges of letters. Sum over red, green and blue.
 */
const ALIKE = 10;

/**
 * The same picture with at most 256 colors. This suits the plain areas of an editor, and makes the file a third as
 * large.
 *
 * @param png as Chromium makes it: 8 bits a channel, with or without alpha, which is dropped
 */
export function smallPng(png: Buffer): Uint8Array {
  const { width, height, channels, data } = decode(png);
  const pixels = Uint32Array.from(
    { length: width * height },
    (_, at) =>
      ((data[at * channels] ?? 0) << 16) |
      ((data[at * channels + 1] ?? 0) << 8) |
      (data[at * channels + 2] ?? 0),
  );
  const { palette, indexOf } = reduce(pixels);
  return encode(
    {
      width,
      height,
      channels: 1,
      depth: 8,
      data: Uint8Array.from(pixels, (color) => indexOf.get(color) ?? 0),
      palette: palette.map((color) => [color >> 16, (color >> 8) & 255, color & 255]),
    },
    { zlib: { level: 9 } },
  );
}

/** The colors that occur most, and for each color that occurs the one that stands for it. */
function reduce(pixels: Uint32Array) {
  const counts: Map<number, number> = new Map();
  for (const color of pixels) counts.set(color, (counts.get(color) ?? 0) + 1);
  const colors = [...counts.keys()].sort((one, other) => (counts.get(other) ?? 0) - (counts.get(one) ?? 0));
  const palette: number[] = [];
  const indexOf: Map<number, number> = new Map();
  for (const color of colors) {
    const { index, distance } = closest(palette, color);
    const isNew = palette.length < MOST_COLORS && distance > ALIKE;
    indexOf.set(color, isNew ? palette.push(color) - 1 : index);
  }
  return { palette, indexOf };
}

function closest(palette: number[], color: number) {
  let [index, distance] = [-1, Number.POSITIVE_INFINITY];
  for (const [at, other] of palette.entries()) {
    const red = Math.abs((color >> 16) - (other >> 16));
    const green = Math.abs(((color >> 8) & 255) - ((other >> 8) & 255));
    const blue = Math.abs((color & 255) - (other & 255));
    if (red + green + blue < distance) [index, distance] = [at, red + green + blue];
  }
  return { index, distance };
}
