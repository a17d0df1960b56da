// @ts-check
// Completes package-lock.json with the optional binaries of other platforms.
//
// npm leaves them out of a lockfile when it cannot fetch them while it writes, and `npm ci` on such a
// platform then goes without its binary and says nothing. An entry needs no more than a version and the
// platform it is for: npm skips it elsewhere, and fetches it by name where it fits.
//
//   node scripts/complete-lockfile.mjs [path of the lockfile]

import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/**
 * @typedef {{ version?: string, cpu?: string[], dev?: true, libc?: string[], optional?: true, os?: string[],
 *   optionalDependencies?: Record<string, string> }} LockEntry
 */

const SYSTEMS = ["aix", "android", "darwin", "freebsd", "linux", "netbsd", "openbsd", "sunos", "win32"];
const PROCESSORS = ["arm", "arm64", "ia32", "loong64", "mips64el", "ppc64", "riscv64", "s390x", "x64"];
const EXACT_VERSION = /^\d+\.\d+\.\d+(-[\w.]+)?$/;

/**
 * The platform that a package's name speaks of, or undefined when it speaks of none.
 *
 * @param {string} name such as `@biomejs/cli-linux-arm64-musl`
 * @returns {Pick<LockEntry, "cpu" | "libc" | "os"> | undefined}
 */
function platformOf(name) {
  const words = name.split(/[-/]/).map((word) => (word === "amd64" ? "x64" : word));
  const os = words.findLast((word) => SYSTEMS.includes(word));
  const cpu = words.findLast((word) => PROCESSORS.includes(word));
  if (os === undefined || cpu === undefined) return undefined;
  return { cpu: [cpu], ...(words.includes("musl") ? { libc: ["musl"] } : {}), os: [os] };
}

/**
 * The entries that are missing, by their place in the lockfile.
 *
 * @param {Record<string, LockEntry>} packages
 * @returns {Record<string, LockEntry>}
 */
function missingBinaries(packages) {
  /** @type {Record<string, LockEntry>} */
  const missing = {};
  for (const [parentPlace, parent] of Object.entries(packages)) {
    for (const [name, version] of Object.entries(parent.optionalDependencies ?? {})) {
      const place = `node_modules/${name}`;
      const platform = platformOf(name);
      if (platform === undefined || !EXACT_VERSION.test(version)) continue;
      if (packages[place] !== undefined || packages[`${parentPlace}/${place}`] !== undefined) continue;
      const { cpu, libc, os } = platform;
      missing[place] = {
        version,
        ...(cpu ? { cpu } : {}),
        ...(parent.dev ? { dev: true } : {}),
        ...(libc ? { libc } : {}),
        optional: true,
        ...(os ? { os } : {}),
      };
    }
  }
  return missing;
}

const path = process.argv[2] ?? fileURLToPath(new URL("../package-lock.json", import.meta.url));
const text = readFileSync(path, "utf8");
const lock = JSON.parse(text);
const missing = missingBinaries(lock.packages);

// The order npm itself writes, so that its next write changes nothing.
lock.packages = Object.fromEntries(
  Object.entries({ ...lock.packages, ...missing }).sort(([a], [b]) => a.localeCompare(b, "en")),
);
const completed = `${JSON.stringify(lock, null, 2)}\n`;
if (completed !== text) writeFileSync(path, completed);

const names = Object.keys(missing);
process.stdout.write(
  names.length === 0 ? "The lockfile is complete.\n" : `Added ${names.length}:\n  ${names.join("\n  ")}\n`,
);
