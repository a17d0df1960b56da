// What all pictures of docs/images have in common.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { decode, encode } from "fast-png";
import type { Page, PageScreenshotOptions } from "playwright-core";
import { root } from "./paths.mjs";

export type FlowNode = Record<string, unknown> & { id: string; type: string; name?: string };
export type Ready = { editor_url: string; base_url: string; api_key: string };

export const VIEW = { width: 1580, height: 1070 };

/** Turns off animations, and hides what a flow shows only while it runs. */
export const STILL = `* { transition: none !important; animation: none !important; caret-color: transparent !important }
  .red-ui-flow-node-status-group, .red-ui-notification, .red-ui-popover { display: none !important }`;

export async function save(page: Page, name: string, options: PageScreenshotOptions = {}) {
  await writeFile(join(root, "docs/images", `${name}.png`), smallPng(await page.screenshot(options)));
}

/** Opens the editor with flows. Version 2 of the flows API: only this version accepts the credentials in an example. */
export async function deploy(url: string, flows: readonly FlowNode[]) {
  const response = await fetch(new URL("flows", url), {
    method: "POST",
    headers: { "Content-Type": "application/json", "Node-RED-API-Version": "v2" },
    body: JSON.stringify({ flows }),
  });
  if (!response.ok) throw new Error(`Node-RED refused an example: ${await response.text()}`);
}

export async function load(page: Page, url: string) {
  await page.goto(url);
  await page.locator("#red-ui-header-toolbar:not(.hide)").waitFor();
}

const MOST_COLORS = 256;
/** Colors nearer than this are one: mostly the shades at the edges of letters. Sum over red, green and blue. */
const ALIKE = 10;

/**
 * The same picture with at most 256 colors. This suits the plain areas of an editor, and makes the file a third as
 * large.
 *
 * @param png as Chromium makes it: 8 bits a channel, with or without alpha, which is dropped
 */
function smallPng(png: Buffer): Uint8Array {
  const { width, height, channels, data } = decode(png);
  const at = (index: number) => data[index] ?? 0;
  const pixels = Uint32Array.from(
    { length: width * height },
    (_, pixel) => (at(pixel * channels) << 16) | (at(pixel * channels + 1) << 8) | at(pixel * channels + 2),
  );
  const counts = new Map<number, number>();
  for (const color of pixels) counts.set(color, (counts.get(color) ?? 0) + 1);
  const palette: number[] = [];
  const indexOf = new Map<number, number>();
  // The colors that occur most, and for each color that occurs the one that stands for it.
  for (const [color] of [...counts].sort(([, one], [, other]) => other - one)) {
    const { index, distance } = closest(palette, color);
    const isNew = palette.length < MOST_COLORS && distance > ALIKE;
    indexOf.set(color, isNew ? palette.push(color) - 1 : index);
  }
  return encode(
    {
      ...{ width, height, channels: 1, depth: 8 },
      data: Uint8Array.from(pixels, (color) => indexOf.get(color) ?? 0),
      palette: palette.map((color) => [color >> 16, (color >> 8) & 255, color & 255]),
    },
    { zlib: { level: 9 } },
  );
}

function closest(palette: number[], color: number) {
  let [index, distance] = [-1, Number.POSITIVE_INFINITY];
  for (const [at, other] of palette.entries()) {
    const part = (shift: number) => Math.abs(((color >> shift) & 255) - ((other >> shift) & 255));
    const apart = part(16) + part(8) + part(0);
    if (apart < distance) [index, distance] = [at, apart];
  }
  return { index, distance };
}
