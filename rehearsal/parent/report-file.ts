import { type FileHandle, open, rm } from "node:fs/promises";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { CrecError } from "../../src/errors.ts";
import { MAX_REPORT_BYTES, type Report } from "../shared/report.ts";
import type { Expected } from "./checked-report.ts";
import type { ReportToCheck } from "./report-worker.ts";

/** Of the worker that checks it. */
const MEMORY_MB = 512;
const TIME_MS = 30_000;

/**
 * The file that the process writes its report into. The process gets its descriptor and nothing else, so no path that a
 * flow could change is ever read.
 */
export class ReportFile {
  readonly #file: FileHandle;
  readonly #path: string | undefined;

  private constructor(file: FileHandle, path: string | undefined) {
    this.#file = file;
    this.#path = path;
  }

  /** @param folder one that the process cannot read */
  static async make(folder: string): Promise<ReportFile> {
    const path = join(folder, "report.json");
    const file = await open(path, "wx+", 0o600);
    // On Windows, an open file keeps its name.
    const isGone = await rm(path).then(
      () => true,
      () => false,
    );
    return new ReportFile(file, isGone ? undefined : path);
  }

  /** For the process. */
  get descriptor(): number {
    return this.#file.fd;
  }

  /** Whether more was written than a report has. */
  async isTooLarge(): Promise<boolean> {
    return (await this.#file.stat()).size > MAX_REPORT_BYTES;
  }

  /**
   * What the process wrote. To be called after its end.
   *
   * @returns undefined where it is empty
   */
  async read(): Promise<Uint8Array | undefined> {
    const { size } = await this.#file.stat();
    if (size === 0 || size > MAX_REPORT_BYTES) return undefined;
    const bytes = new Uint8Array(size);
    for (let at = 0; at < size; ) {
      const { bytesRead } = await this.#file.read(bytes, at, size - at, at);
      if (bytesRead === 0) return undefined;
      at += bytesRead;
    }
    return bytes;
  }

  async close(): Promise<void> {
    await this.#file.close().catch(() => {});
    if (this.#path !== undefined) await rm(this.#path, { force: true });
  }
}

/**
 * The report of these bytes, parsed and checked in a thread of its own.
 *
 * @param program of the worker
 * @returns undefined where it is not a report of the job, or takes too much memory or time to check
 * @throws {CrecError} `REHEARSAL_FAILED` where the worker itself does not work
 */
export async function readReport(
  bytes: Uint8Array,
  expected: Expected,
  program: string,
): Promise<Report | undefined> {
  const workerData: ReportToCheck = { bytes, expected };
  const worker = new Worker(program, {
    workerData,
    transferList: [bytes.buffer as ArrayBuffer],
    env: {},
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB },
  });
  const late = setTimeout(() => void worker.terminate(), TIME_MS);
  try {
    const text = await new Promise<string | undefined>((resolve, reject) => {
      worker.once("message", resolve);
      // Only what a flow wrote takes that much memory.
      worker.once("error", (error: NodeJS.ErrnoException) =>
        error.code === "ERR_WORKER_OUT_OF_MEMORY" ? resolve(undefined) : reject(notChecked(error)),
      );
      worker.once("exit", () => resolve(undefined));
    });
    return text === undefined ? undefined : (JSON.parse(text) as Report);
  } finally {
    clearTimeout(late);
    await worker.terminate();
  }
}

function notChecked(cause: Error): CrecError {
  return new CrecError(
    "REHEARSAL_FAILED",
    `The report of the rehearsal could not be checked, so it is not shown. Reinstall the package if a file of it is missing. (${cause.message})`,
    { cause },
  );
}
