import { nodeError } from "../shared/errors.ts";
import type { CrecMessage } from "./message.ts";

/** What `msg.crec` holds in a message of *Send the last event*. All nodes keep it. */
export const TEST_MARK = { test: true } as const;

/** Whether a person sent this message to try a flow: its event was, or will be, sent for real as well. */
export function isTest(msg: CrecMessage): boolean {
  return msg.crec?.test === TEST_MARK.test;
}

/** The field *allow test messages* of a node. */
type Permission = { flag(name: "allowTest"): boolean; label(name: "allowTest"): string };

/**
 * To be called first by a node that acts, so that trying a flow does not act for real.
 * @throws TEST_MESSAGE
 */
export function refuseTest(msg: CrecMessage, fields: Permission): void {
  if (!isTest(msg) || fields.flag("allowTest")) return;
  throw nodeError(
    "TEST_MESSAGE",
    `This is a test message, and this node would act for real, so it did nothing. To let it act, tick "${fields.label("allowTest")}" in its form and deploy.`,
  );
}
