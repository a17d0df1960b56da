// @ts-check
import { crc32, deflateSync, inflateSync } from "node:zlib";

const SIGNATURE_BYTES = 8;
const MOST_COLORS = 256;
/** Colors nearer than this are one: the shades at the edges of letters, mostly. Sum over red, green and blue. */
const ALIKE = 10;

/**
 * The same picture with at most 256 colors, which suits an editor's plain areas and makes it a third as large.
 *
 * @param {Buffer} png as Chromium makes it: 8 bits a channel, with or without alpha, not interlaced
 * @returns {Buffer}
 */
export function smallPng(png) {
  const { width, height, pixels } = decode(png);
  const { palette, indexOf } = reduce(pixels);
  const lines = Buffer.alloc(height * (width + 1));
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      lines[y * (width + 1) + x + 1] = indexOf.get(pixels[y * width + x] ?? 0) ?? 0;
    }
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  // 8 bits a pixel, by palette.
  header.set([8, 3], 8);
  return Buffer.concat([
    png.subarray(0, SIGNATURE_BYTES),
    chunk("IHDR", header),
    chunk("PLTE", Buffer.from(palette.flatMap((color) => [color >> 16, (color >> 8) & 255, color & 255]))),
    chunk("IDAT", deflateSync(lines, { level: 9 })),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

/**
 * @param {Buffer} png
 * @returns {{ width: number, height: number, pixels: Uint32Array }} each pixel as 0xRRGGBB
 */
function decode(png) {
  const width = png.readUInt32BE(16);
  const height = png.readUInt32BE(20);
  const channels = png[25] === 6 ? 4 : 3;
  const data = [];
  for (let at = SIGNATURE_BYTES; at < png.length; ) {
    const length = png.readUInt32BE(at);
    if (png.toString("latin1", at + 4, at + 8) === "IDAT") data.push(png.subarray(at + 8, at + 8 + length));
    at += length + 12;
  }
  const bytes = unfilter(inflateSync(Buffer.concat(data)), width * channels, channels);
  const pixels = new Uint32Array(width * height);
  for (let index = 0; index < pixels.length; index += 1) {
    pixels[index] = bytes.readUIntBE(index * channels, 3);
  }
  return { width, height, pixels };
}

/**
 * Undoes what a PNG does to its lines so that they deflate better.
 *
 * @param {Buffer} raw each line behind the number of its filter
 * @param {number} stride bytes a line
 * @param {number} step bytes a pixel
 */
function unfilter(raw, stride, step) {
  const out = Buffer.alloc((raw.length / (stride + 1)) * stride);
  for (let line = 0; line * (stride + 1) < raw.length; line += 1) {
    const filter = raw[line * (stride + 1)];
    for (let x = 0; x < stride; x += 1) {
      const at = line * stride + x;
      const left = x >= step ? (out[at - step] ?? 0) : 0;
      const up = line > 0 ? (out[at - stride] ?? 0) : 0;
      const corner = x >= step && line > 0 ? (out[at - stride - step] ?? 0) : 0;
      const guess = [0, left, up, (left + up) >> 1, nearest(left, up, corner)][filter ?? 0] ?? 0;
      out[at] = (raw[line * (stride + 1) + 1 + x] ?? 0) + guess;
    }
  }
  return out;
}

/**
 * @param {number} left
 * @param {number} up
 * @param {number} corner
 */
function nearest(left, up, corner) {
  const guess = left + up - corner;
  const [a, b, c] = [Math.abs(guess - left), Math.abs(guess - up), Math.abs(guess - corner)];
  return a <= b && a <= c ? left : b <= c ? up : corner;
}

/**
 * The colors that occur most, and for each color that occurs the one that stands for it.
 *
 * @param {Uint32Array} pixels
 */
function reduce(pixels) {
  /** @type {Map<number, number>} */
  const counts = new Map();
  for (const color of pixels) counts.set(color, (counts.get(color) ?? 0) + 1);
  const colors = [...counts.keys()].sort((one, other) => (counts.get(other) ?? 0) - (counts.get(one) ?? 0));
  /** @type {number[]} */
  const palette = [];
  /** @type {Map<number, number>} */
  const indexOf = new Map();
  for (const color of colors) {
    const { index, distance } = closest(palette, color);
    const isNew = palette.length < MOST_COLORS && distance > ALIKE;
    indexOf.set(color, isNew ? palette.push(color) - 1 : index);
  }
  return { palette, indexOf };
}

/**
 * @param {number[]} palette
 * @param {number} color
 */
function closest(palette, color) {
  let [index, distance] = [-1, Number.POSITIVE_INFINITY];
  for (const [at, other] of palette.entries()) {
    const red = Math.abs((color >> 16) - (other >> 16));
    const green = Math.abs(((color >> 8) & 255) - ((other >> 8) & 255));
    const blue = Math.abs((color & 255) - (other & 255));
    if (red + green + blue < distance) [index, distance] = [at, red + green + blue];
  }
  return { index, distance };
}

/**
 * @param {string} type
 * @param {Buffer} data
 */
function chunk(type, data) {
  const typed = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  check.writeUInt32BE(crc32(typed));
  return Buffer.concat([length, typed, check]);
}
