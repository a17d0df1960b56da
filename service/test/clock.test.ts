import should from "should";
import type { EventEnvelope, Operation, Wallet } from "../../src/protocol/index.ts";
import { generatePrivateKey, localEcdsaSigner } from "../../src/signing/index.ts";
import { eventually } from "../../test/support/eventually.ts";
import { callOf, signedOperation } from "./signed-operation.ts";
import { type Api, logTo, startTestService } from "./support.ts";

const HOUR_S = 3600;

const SET_BACK =
  /^The chain's newest block is 3\d\d\d s ahead of this machine's clock: the clock was set back/;
const AGREE = "The clock and the chain agree again.";

describe("a clock that is set back", function () {
  this.timeout(120_000);
  const signer = localEcdsaSigner(generatePrivateKey());
  const clock = Date.now;
  const lines: string[] = [];
  let api: Api;
  let dispose: () => Promise<void>;
  let channelId: string;
  let wallet: Wallet;

  before(async () => {
    ({ api, dispose } = await startTestService({ log: logTo((line) => lines.push(line)) }));
    channelId = await api.channel();
    const { wallet_id } = await api.ok<Wallet>("POST", "/wallets", {
      ...{ name: "first", wallet_owner_address: signer.address, chain_selector: api.ready.chain_selector },
      ...{ wallet_type: "ecdsa", allowed_ecdsa_signers: [signer.address] },
    });
    wallet = await api.until<Wallet>(`/wallets/${wallet_id}`, "deployed");
  });
  beforeEach(setBack);
  after(async () => {
    Date.now = clock;
    await dispose();
  });

  it("is reported with what to do, in the log and on the start page", async () => {
    should(await reported()).match(/ends as expired\. Set the clock right, or choose later deadlines\.$/);
    const page = await (await fetch(api.ready.base_url)).text();
    should(page).match(/newest block is 3\d\d\d s ahead of this machine/);
  });

  it("is the reason of operations that expire by the chain's time", async () => {
    const operation = await submit(Math.floor(Date.now() / 1000) + 300);
    await api.until<Operation>(path(operation), "expired");
    should(reasonOf(await api.events(channelId), operation)).match(
      /^the deadline passed on the chain, whose newest block is 3\d\d\d s ahead of this machine's clock; set the clock right/,
    );
  });

  it("does not delay operations without a deadline", async () => {
    Date.now = clock;
    const operation = await submit(0);
    await api.until<Operation>(path(operation), "confirmed_latest", "confirmed_safe");
    setBack();
    await api.until<Operation>(path(operation), "confirmed");
  });

  it("is reported when it is right again", async () => {
    await reported();
    Date.now = clock;
    await eventually("a line of the log", () => newest() === AGREE);
  });

  /** The newest line of the log about the clock. */
  const newest = () => lines.findLast((one) => one === AGREE || SET_BACK.test(one));

  /** The line about the clock that is set back now. */
  async function reported(): Promise<string | undefined> {
    await api.ok("POST", "/local/mine", { blocks: 1 });
    return eventually("a line of the log", newest, (line) => SET_BACK.test(line ?? ""));
  }

  /** For the service; the chain is another process, and keeps its time. */
  function setBack(): void {
    Date.now = () => clock() - HOUR_S * 1000;
  }

  async function submit(deadline: number): Promise<Operation> {
    const calls = [callOf(api, "Counter", "increment")];
    const operation = await signedOperation(api, signer, wallet.address, calls, { deadline });
    return await api.ok("POST", `/channels/${channelId}/operations`, operation);
  }

  const path = (operation: Operation) => `/channels/${channelId}/operations/${operation.operation_id}`;
  const reasonOf = (events: EventEnvelope[], operation: Operation) =>
    events.findLast((event) => event.payload.operation_id === operation.operation_id)?.payload.status_reason;
});
