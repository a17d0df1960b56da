import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import type { EventEnvelope } from "../src/index.ts";
import { config, proofOf } from "./proofs-made.ts";

/** A loop in C on libsecp256k1, compiled here and now. */
export type Native = {
  /** Milliseconds that so many proofs took in there. */
  check(count: number): Promise<number>;
  end(): Promise<void>;
};

const SOURCE = join(import.meta.dirname, "proofs.c");

/** @throws Error with what is missing, where it cannot be compiled. */
export async function startNative(events: readonly EventEnvelope[]): Promise<Native> {
  const folder = await mkdtemp(join(tmpdir(), "bench-proofs-"));
  try {
    const [program, file] = [join(folder, "proofs"), join(folder, "proofs.txt")];
    await promisify(execFile)("cc", ["-O3", "-o", program, SOURCE, "-lsecp256k1"]).catch((cause) => {
      const missing =
        cause.code === "ENOENT" ? "a C compiler" : "libsecp256k1 and its headers, libsecp256k1-dev";
      throw new Error(`needs ${missing}`, { cause });
    });
    await writeFile(file, events.map(lineOf).join(""));
    const { workflowOwner, minRequiredSignatures, validSigners } = config;
    const addresses = validSigners.map((signer) => signer.slice(2));
    const child = spawn(
      program,
      [file, workflowOwner.slice(2), String(minRequiredSignatures), ...addresses],
      {
        stdio: ["pipe", "pipe", "inherit"],
      },
    );
    const ended = once(child, "exit");
    const answers = createInterface(child.stdout)[Symbol.asyncIterator]();
    return {
      async check(count) {
        child.stdin.write(`${count}\n`);
        const { value, done } = await answers.next();
        if (done) throw new Error("A proof does not hold in C.");
        return Number(value) / 1e6;
      },
      async end() {
        child.stdin.end();
        await ended;
        await rm(folder, { recursive: true });
      },
    };
  } catch (error) {
    await rm(folder, { recursive: true });
    throw error;
  }
}

function lineOf(event: EventEnvelope): string {
  const { ocr_report, ocr_context, signatures } = proofOf(event);
  const hex = [ocr_report, ocr_context, ...signatures].map((bytes) => bytes.slice(2));
  return `${[event.payload.verifiable_event, ...hex].join(" ")}\n`;
}
