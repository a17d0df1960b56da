// @ts-check
// npm sorts the files of a package by their names: the texts of one form in four languages lie side by side, those of
// one language far apart. Compression only sees what is near, so a package in the order of its kinds of files, and for each
// kind of its folders, is a tenth smaller. The files, and what npm says of each, stay as they are.
import { posix } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";

const BLOCK = 512;
/** Kinds of entries that describe the next one, such as a long path. */
const DESCRIBING = new Set(["x", "g", "L", "K"]);

/**
 * @param {Buffer} tarball made by `npm pack`
 * @returns {Buffer} the same files, ordered by extension, then by path
 */
export function inCompressibleOrder(tarball) {
  const tar = gunzipSync(tarball);
  const entries = entriesOf(tar).sort((one, other) => (rank(one.path) < rank(other.path) ? -1 : 1));
  const end = Buffer.alloc(2 * BLOCK);
  return gzipSync(Buffer.concat([...entries.map(({ bytes }) => bytes), end]), { level: 9 });
}

/** @param {string} path */
const rank = (path) => [posix.extname(path), path].join("\0");

/**
 * @param {Buffer} tar
 * @returns {Array<{ path: string, bytes: Buffer }>} each file with its header, and with what describes it
 */
function entriesOf(tar) {
  const entries = [];
  let start = 0;
  for (let at = 0; at + BLOCK <= tar.length && tar[at] !== 0; ) {
    const header = tar.subarray(at, at + BLOCK);
    const size = Number.parseInt(textAt(header, 124, 12), 8);
    if (Number.isNaN(size))
      throw new Error("npm pack made a file that is no tar file. Pack with another version of npm.");
    at += BLOCK + Math.ceil(size / BLOCK) * BLOCK;
    if (DESCRIBING.has(textAt(header, 156, 1))) continue;
    const path = [textAt(header, 345, 155), textAt(header, 0, 100)].filter((part) => part !== "").join("/");
    entries.push({ path, bytes: tar.subarray(start, at) });
    start = at;
  }
  return entries;
}

/**
 * @param {Buffer} header
 * @param {number} from
 * @param {number} length
 */
function textAt(header, from, length) {
  const [text = ""] = header.toString("latin1", from, from + length).split("\0");
  return text.trim();
}
