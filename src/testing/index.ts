/** Fakes for tests of programs. */

export { fakeChannel } from "./fake-events.ts";
export type { FakeVerification } from "./oracle-round.ts";
export type { CallAnswer } from "./statements.ts";
export type {
  FakeChannel,
  FakeChannelOptions,
  FakeEventDetails,
  FakeOperation,
  FakeQueryDetails,
} from "./types.ts";
