/** Fakes for tests of programs. */

export { fakeChannel } from "./fake-channel.ts";
export type { FakeVerification } from "./fake-oracles.ts";
export type { CallAnswer } from "./statements.ts";
export type {
  FakeChannel,
  FakeChannelOptions,
  FakeEventDetails,
  FakeOperation,
  FakeQueryDetails,
} from "./types.ts";
