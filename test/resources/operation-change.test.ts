import should from "should";
import { generatePrivateKey, localEcdsaSigner } from "../../src/signing/index.ts";
import { errorOf } from "../http/support.ts";
import { eventually } from "../support/eventually.ts";
import { type Asked, CHAIN, conflict, ID, page, type Reply, startFakeService } from "./support.ts";

const WALLET = "0x1111111111111111111111111111111111111111";
const DRAFT = {
  ...{ operation_id: ID, status: "pending_signature", chain_selector: CHAIN, address: WALLET },
  ...{ wallet_operation_id: "42", deadline: 0, signature: null },
  transactions: [{ to: WALLET, value: "1", data: "0xabcd" }],
};
const inSeconds = (seconds: number) => Math.floor(Date.now() / 1000) + seconds;
const LIMITED: Reply = [429, { type: "RATE_LIMITED", message: "later" }, { "retry-after": "0" }];

/** What becomes of a change: it is lost before or after it is made, or answered so. */
type Step = "lost before" | "lost after" | Reply;

describe("a change of a draft", () => {
  const signer = localEcdsaSigner(generatePrivateKey());
  const open: Array<{ close(): Promise<void> }> = [];
  afterEach(async () => {
    for (const one of open.splice(0)) await one.close();
  });

  const serve = async (steps: Step[], { draft = DRAFT as object, reads = [] as Reply[] } = {}) => {
    const shown: Record<string, unknown> = { ...draft };
    const service = await startFakeService(({ method, path, body }: Asked): Reply => {
      if (path === "/networks") return page({ chain_selector: CHAIN, chain_id: "31337" });
      if (method !== "PATCH") return reads.shift() ?? [200, shown];
      const step = steps.shift();
      if (step !== undefined && step !== "lost after") return step === "lost before" ? "drop" : step;
      if (shown.status !== "pending_signature") return conflict("OPERATION_NOT_FINALIZABLE");
      shown.status = body.status;
      return step === "lost after" ? "drop" : [200, shown];
    });
    open.push(service);
    const patches = () => service.asked.filter(({ method }) => method === "PATCH");
    return { ...service, shown, patches };
  };

  it("is sent again, with the same signature, while the operation is still a draft", async () => {
    let signatures = 0;
    const sign: typeof signer.sign = (request) => {
      signatures += 1;
      return signer.sign(request);
    };
    const once = { ...signer, sign };
    const { client, patches } = await serve(["lost before", LIMITED, "lost before"]);
    should(await client.operations.finalize(ID, ID, once)).have.property("status", "accepted");
    should(new Set(patches().map(({ body }) => body.signature)).size).equal(1);
    should(patches()).have.length(4);
    should(signatures).equal(1);
  });

  it("that was made is a success, whether its answer was lost or a conflict came after it", async () => {
    const lost = await serve(["lost after"]);
    should((await lost.client.operations.finalize(ID, ID, signer)).status).equal("accepted");
    should(lost.patches()).have.length(1);
    // It was made, but neither its answer arrived nor the one to the look at it.
    const blind = await serve(["lost after"], { reads: [[200, DRAFT], "drop"] });
    should((await blind.client.operations.finalize(ID, ID, signer)).status).equal("accepted");
    should(blind.patches()).have.length(2);
  });

  it("is tried again when it is a cancelling, too", async () => {
    const { client, patches } = await serve([LIMITED, "lost before"]);
    should((await client.operations.cancel(ID, ID)).status).equal("cancelled");
    should(patches()).have.length(3);
    const made = await serve(["lost after"]);
    should((await made.client.operations.cancel(ID, ID)).status).equal("cancelled");
  });

  it("is tried until a minute before the deadline, and without one for its patience", async () => {
    const lost = (): Step[] => Array.from({ length: 100 }, () => "lost before");
    const near = await serve(lost(), { draft: { ...DRAFT, deadline: inSeconds(50) } });
    const late = await errorOf(near.client.operations.finalize(ID, ID, signer));
    should(late).have.property("code", "SERVICE_UNREACHABLE");
    should(near.patches()).have.length(1);
    const endless = await serve(lost());
    const patience = { patienceMs: 400 };
    should(await errorOf(endless.client.operations.finalize(ID, ID, signer, patience))).have.property(
      "code",
      "SERVICE_UNREACHABLE",
    );
    should(endless.patches().length).be.within(2, 20);
    should(await errorOf(endless.client.operations.cancel(ID, ID, patience))).have.property(
      "code",
      "SERVICE_UNREACHABLE",
    );
    const long = await serve([[429, { type: "RATE_LIMITED", message: "later" }, { "retry-after": "60" }]]);
    const refused = await errorOf(long.client.operations.cancel(ID, ID, { patienceMs: 5_000 }));
    should(refused).have.properties({ code: "RATE_LIMITED", retryAfterMs: 60_000 });
  });

  it("ends with a refusal, with another change, and where the operation cannot be read", async () => {
    const code = async (steps: Step[], more: Parameters<typeof serve>[1] = {}) => {
      const { client } = await serve(steps, more);
      return (await errorOf(client.operations.finalize(ID, ID, signer, { patienceMs: 300 }))).code;
    };
    const taken = conflict("OPERATION_DEADLINE_ELAPSED");
    should(await code([taken])).equal("OPERATION_DEADLINE_ELAPSED");
    should(await code([], { draft: { ...DRAFT, status: "accepted" } })).equal("OPERATION_NOT_FINALIZABLE");
    const cancelled: Reply = [200, { ...DRAFT, status: "cancelled" }];
    should(await code(["lost before"], { reads: [[200, DRAFT], cancelled] })).equal(
      "OPERATION_NOT_FINALIZABLE",
    );
    should(await code([conflict("CONFLICT")], { reads: [[200, DRAFT], cancelled] })).equal("CONFLICT");
    const forbidden: Reply = [403, { type: "FORBIDDEN", message: "no" }];
    should(await code(["lost before"], { reads: [[200, DRAFT], forbidden] })).equal("SERVICE_UNREACHABLE");
    // An answer about another operation says nothing about this one.
    const other: Reply = [200, { ...DRAFT, status: "accepted", deadline: 7 }];
    should(await code([taken, taken, taken, taken, taken], { reads: [[200, DRAFT], other] })).equal(
      "OPERATION_DEADLINE_ELAPSED",
    );
  });

  it("ends when the caller or the client stops it, in the pause too", async () => {
    const { client, patches } = await serve(Array.from({ length: 100 }, () => LIMITED));
    const controller = new AbortController();
    const { signal } = controller;
    const ended = errorOf(client.operations.finalize(ID, ID, signer, { signal, patienceMs: 60_000 }));
    await eventually("a second attempt", () => patches().length >= 2);
    controller.abort();
    should(["ABORTED", "RATE_LIMITED"]).containEql((await ended).code);
    const closing = errorOf(client.operations.cancel(ID, ID, { patienceMs: 60_000 }));
    const before = patches().length;
    await eventually("an attempt to cancel", () => patches().length > before);
    await client.close();
    should(["CLIENT_CLOSED", "RATE_LIMITED"]).containEql((await closing).code);
  });
});
