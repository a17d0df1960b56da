import { execFile } from "node:child_process";
import { join } from "node:path";
import { root } from "../../scripts/lib/paths.mjs";

export type Ended = { code: number | string | null; out: string };

/** `npm run bench -- …`. `options` are for Node.js, such as `--import`. */
export function bench(args: readonly string[], options: readonly string[] = []): Promise<Ended> {
  const all = [...options, join(root, "bench/run.ts"), ...args];
  return new Promise((resolve) => {
    execFile(process.execPath, all, { cwd: root }, (error, out, err) =>
      resolve({ code: error ? (error.code ?? error.signal ?? null) : 0, out: `${out}${err}` }),
    );
  });
}
