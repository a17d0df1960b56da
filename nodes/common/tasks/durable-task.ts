import type { Connection } from "../fields/config-nodes.ts";
import type { CrecMessage } from "../messages/message.ts";
import { isTest } from "../messages/message.ts";
import { type CodedError, nodeError, toCodedError } from "../shared/errors.ts";
import { serviceIdentity } from "../shared/text.ts";
import type { TaskRecord } from "./task-store.ts";

/** What a node waits for, with what it needs to continue after a deploy. */
export type Wait = {
  /** The same for each message about the same operation. */
  id: string;
  connection: Connection;
  /** JSON. */
  about: unknown;
  /** A crash may lose it: the file is written only when the node is stopped. */
  isCheap?: true;
  /** Without the file, nothing may happen: an error of the disk is thrown. */
  isRequired?: true;
  /** The same message waits for something later: its file is written again. */
  isLater?: boolean;
};

/** What was kept of a wait that a deploy, a stop or a crash interrupted. */
export type StoredTask = Pick<TaskRecord, "id" | "service" | "about">;

/** A message at work in a node. */
export type Run = {
  msg: CrecMessage;
  /** Of a message that resumes a wait: its first arrival. */
  arrivedAt: number;
  controller: AbortController;
  /** Set for a message that resumes a wait. */
  kept: StoredTask | undefined;
  /** What it waits for, once that is known. */
  id: string | undefined;
  /** Its file. */
  file: string | undefined;
  /** What is written when the node is stopped. */
  unsaved: StoredTask | undefined;
  /** Why its file could not be written. */
  problem?: unknown;
  /** Whether the message left, or its error was reported. */
  isOver: boolean;
};

/** With this reason a run ends silently: another message continues its wait. */
export const TAKEN_OVER = new Error("Another message continues this wait.");

/**
 * Messages about the same operation are the same message only if they are about the same event and have the same key. A
 * test message is never the real one.
 */
export function keyOf(id: string, msg: CrecMessage): string {
  const texts = [msg.crec?.eventId, msg.crec?.operationKey].map((value) =>
    typeof value === "string" || typeof value === "number" ? String(value) : "",
  );
  return JSON.stringify([id, ...texts, isTest(msg)]);
}

/** @throws WAIT_DROPPED where the connection is one to another service now, which would know nothing, or something else */
export function requireSameService({ id, service }: StoredTask, connection: Connection): void {
  if (serviceIdentity(connection.baseUrl) === service) return;
  const message = `The connection is to another service now, so the wait was not resumed. Look for the operation at the service that it was sent to. Service ${service}, id ${id}.`;
  throw nodeError("WAIT_DROPPED", message);
}

export function notStored(cause: unknown): CodedError {
  const why = toCodedError(cause).message.replace(/[.\s]+$/, "");
  const message = `The operation could not be stored, so nobody was asked to sign it (${why}). Check the free space and the permissions of the state folder, then send the message again.`;
  return nodeError("WAIT_NOT_STORED", message, cause);
}

export function interrupted(cause?: unknown): CodedError {
  return nodeError(
    "WAIT_INTERRUPTED",
    "A deploy or a stop ended this node while it was still waiting. What it had requested may still happen: look for it before you send the message again.",
    cause,
  );
}
