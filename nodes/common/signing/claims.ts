import { randomUUID } from "node:crypto";
import { readdir, readFile, rename, rm, rmdir, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Node, NodeAPI } from "node-red";
import type { SharedState } from "../../../src/index.ts";
import { codeOf, createOnce } from "../../../src/storage/durable-files.ts";
import { refuseNewer } from "../../../src/storage/newer.ts";
import { fleetOf } from "../fleet/fleet.ts";
import { type Joined, joinFleet } from "../fleet/join-fleet.ts";
import { cleanUp, type FoundFile } from "../folder/clean-up.ts";
import { permitted, stateFiles } from "../folder/state-files.ts";
import { isStateInMemory, stateFolderFor } from "../folder/state-folder.ts";
import { processWide } from "../process-wide.ts";
import { nodeError } from "../shared/errors.ts";

/** What is claimed under an id, such as what is being signed for an operation: a repeated message has the same digest. */
export type SigningClaim = {
  digest: string;
  /** Unix seconds; 0 for none. */
  deadline: number;
};

/** Claims by the id of what is claimed, such as a wallet operation id. A claim ends with its deadline. */
export type SigningClaims = {
  /** Makes this the claim, or gives the one that exists. */
  claim(id: string, mine: SigningClaim): Promise<SigningClaim>;
  /** Ends the claim of this digest, since it is submitted, or was refused. */
  release(id: string, digest: string): Promise<void>;
};

const DAY_MS = 86_400_000;
/** A claim without a deadline, whose message never came again. */
const FORGOTTEN_MS = 30 * DAY_MS;
/** There is a file for each operation of an event, for a week. */
const CLEANED_EVERY_MS = 3_600_000;
const SCOPE = "signing";
const TEMPORARY = ".tmp";
/** Two processes that claim at the same moment need two. */
const ATTEMPTS = 5;

/**
 * The claims of a node: in the state that copies share, where one is chosen or in the environment, else in the state
 * folder. The function opens them when they are first needed.
 */
export function openClaims(
  RED: NodeAPI,
  node: Node,
  fleetId: string | undefined,
): () => Promise<SigningClaims> {
  let joined: Promise<Joined> | undefined;
  const inMemory = memoryClaims();
  node.on("close", (done: () => void) => {
    const left = joined?.then(({ leave }) => leave());
    Promise.resolve(left)
      .catch(() => {})
      .finally(done);
  });
  const open = async () => {
    if (isStateInMemory()) return inMemory;
    const ref = fleetOf(RED, fleetId);
    if (!ref) return fileClaims(RED);
    joined ??= joinFleet(RED, ref);
    // After an error it is tried again.
    joined.catch(() => {
      joined = undefined;
    });
    return sharedClaims((await joined).fleet.shared);
  };
  // At the deploy, so that the health knows then whether the shared state works. A message reports the error.
  open().catch(() => {});
  return open;
}

const cleaned = processWide("claims-cleaned", () => ({ at: Number.NEGATIVE_INFINITY }));

/**
 * In the state folder, each in a folder of its own: of several processes that use it, one is first. That folder gets its
 * name with the claim in it, which fails where there is one. The file of a claim has a name that no other has: whoever
 * removes it cannot remove one that has replaced it meanwhile.
 */
export function fileClaims(RED: NodeAPI): SigningClaims {
  const folder = stateFolderFor(RED, "signing");
  return {
    claim: async (id, mine) => {
      await stateFiles.mkdir(folder, { recursive: true });
      if (Date.now() - cleaned.at >= CLEANED_EVERY_MS) void removeOldClaims(RED);
      const path = join(folder, id);
      for (let attempt = 1; ; attempt++) {
        if (await permitted(path, () => create(path, mine))) return mine;
        const found = await permitted(path, () => read(path));
        if (found?.claim && !isOver(found.claim)) return found.claim;
        if (found) await permitted(path, () => remove(found.file));
        if (attempt === ATTEMPTS)
          throw new Error(
            `The folder ${path} cannot be replaced. Check the permissions of the state folder, then send the message again.`,
          );
      }
    },
    release: async (id, digest) => {
      const path = join(folder, id);
      const found = await permitted(path, () => read(path));
      if (found?.claim?.digest === digest) await permitted(path, () => remove(found.file));
    },
  };
}

/** Forgotten with the process. */
export function memoryClaims(): SigningClaims {
  const claims = new Map<string, SigningClaim>();
  return {
    claim: async (id, mine) => {
      const other = claims.get(id);
      if (other && !isOver(other)) return other;
      claims.set(id, mine);
      return mine;
    },
    release: async (id, digest) => {
      if (claims.get(id)?.digest === digest) claims.delete(id);
    },
  };
}

/** In the state that all copies of the flow share. */
export function sharedClaims(shared: Pick<SharedState, "readRecord" | "writeRecord">): SigningClaims {
  return {
    claim: async (id, mine) => {
      const ttlMs = mine.deadline === 0 ? FORGOTTEN_MS : mine.deadline * 1000 - Date.now() + DAY_MS;
      for (let attempt = 1; ; attempt++) {
        const record = await shared.readRecord(SCOPE, id);
        const other = claimOf(record?.value);
        if (other && !isOver(other)) return other;
        const write = { scope: SCOPE, key: id, revision: record?.revision ?? 0, value: mine, ttlMs };
        if ((await shared.writeRecord(write)) !== undefined) return mine;
        if (attempt === ATTEMPTS)
          throw new Error("Other copies change the shared state all the time. Send the message again.");
      }
    },
    release: async (id, digest) => {
      const record = await shared.readRecord(SCOPE, id);
      if (!record || claimOf(record.value)?.digest !== digest) return;
      await shared.writeRecord({
        scope: SCOPE,
        key: id,
        revision: record.revision,
        value: undefined,
        ttlMs: DAY_MS,
      });
    },
  };
}

/** Whole or not at all. False where there is one. */
async function create(path: string, claim: SigningClaim): Promise<boolean> {
  const temporary = `${path}.${randomUUID()}${TEMPORARY}`;
  try {
    await stateFiles.mkdir(temporary, { recursive: true });
    const text = JSON.stringify({ version: 1, ...claim });
    await createOnce(join(temporary, `${randomUUID()}.json`), text, stateFiles);
    await rename(temporary, path);
    return true;
  } catch (error) {
    if (["ENOTEMPTY", "EEXIST"].includes(String(codeOf(error)))) return false;
    // Windows refuses any existing folder by another code, also an empty one.
    const names = await namesIn(path);
    if (names === undefined) throw error;
    if (names.length === 0) await removeEmpty(path);
    return false;
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

/** Undefined where there is none; without a claim, where a power cut left its file half written. */
async function read(path: string): Promise<{ file: string; claim: SigningClaim | undefined } | undefined> {
  for (const name of (await namesIn(path)) ?? []) {
    const file = join(path, name);
    const text = await readFile(file, "utf8").catch(unlessGone);
    if (text !== undefined) return { file, claim: claimIn(text, file) };
  }
  return undefined;
}

/** Never the claim that has replaced it. */
async function remove(file: string): Promise<void> {
  await rm(file, { force: true });
  await removeEmpty(dirname(file));
}

/** A folder that has a claim again stays. */
async function removeEmpty(path: string): Promise<void> {
  await rmdir(path).catch((error: unknown) => {
    if (!["ENOENT", "ENOTEMPTY", "EEXIST"].includes(String(codeOf(error)))) throw error;
  });
}

/** Undefined where there is no such folder. */
function namesIn(path: string): Promise<string[] | undefined> {
  return readdir(path).catch(unlessGone);
}

function unlessGone(error: unknown): undefined {
  if (codeOf(error) !== "ENOENT") throw error;
}

/** Removes the claims whose messages never came again. Never rejects. */
export async function removeOldClaims(RED: NodeAPI): Promise<void> {
  cleaned.at = Date.now();
  const folder = stateFolderFor(RED, "signing");
  const names = await readdir(folder).catch(() => []);
  for (const name of names) {
    const path = join(folder, name);
    // One that is being made is empty for a moment.
    if (name.endsWith(TEMPORARY) && !(await isLeft(path))) continue;
    const isOld = (file: FoundFile) => isForgotten(file, path);
    await cleanUp(RED, path, { leastAgeMs: DAY_MS, isOld, reportedAs: folder });
    await removeEmpty(path).catch(() => {});
  }
}

async function isLeft(path: string): Promise<boolean> {
  const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Date.now() }));
  return Date.now() - mtimeMs >= DAY_MS;
}

function isForgotten({ text, writtenAt }: FoundFile, folder: string): boolean {
  const age = Date.now() - writtenAt;
  return age > FORGOTTEN_MS || (age >= DAY_MS && isOverOrHalf(text, folder));
}

/** A crash leaves a file half written. */
function isOverOrHalf(text: string, path: string): boolean {
  const claim = claimIn(text, path);
  return claim === undefined || isOver(claim);
}

/** Whether nothing can be executed any more. `deadline` in Unix seconds; 0 for none. */
export function isOver({ deadline }: Pick<SigningClaim, "deadline">): boolean {
  return deadline !== 0 && deadline * 1000 <= Date.now();
}

/** @throws STATE_FILE_NEWER */
function claimIn(text: string, path: string): SigningClaim | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  refuseNewer(
    value,
    { what: `The file ${path}`, lost: "the same operation may be signed a second time" },
    nodeError,
  );
  return claimOf(value);
}

function claimOf(value: unknown): SigningClaim | undefined {
  const { digest, deadline } = (value ?? {}) as Partial<SigningClaim>;
  return typeof digest === "string" && typeof deadline === "number" ? { digest, deadline } : undefined;
}
