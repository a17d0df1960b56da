import should from "should";
import { SignerError } from "../../src/signing/custody/index.ts";
import { generatePrivateKey, localEcdsaSigner, type Signer } from "../../src/signing/index.ts";
import { clockCells } from "../faults/clock.ts";
import { makeWorld } from "../faults/world.ts";
import { errorOf, KEY } from "../http/support.ts";
import { itWide } from "../support/wide.ts";
import { ADDRESS, type Asked, CHAIN, ID, type Reply, startFakeService } from "./support.ts";

const MINUTE_S = 60;
const now = () => Math.floor(Date.now() / 1000);

/** The clock of this machine is wrong by 10 minutes; that of the service decides on deadlines. */
describe("an operation, where the clocks differ by 10 minutes", () => {
  const open: Array<{ close(): Promise<void> }> = [];
  afterEach(async () => {
    for (const one of open.splice(0)) await one.close();
  });

  /** A service whose clock is so far off, after its first answer. */
  const serve = async (offS: number, steps: Reply[] = []) => {
    const headers = () => ({ date: new Date(Date.now() + offS * 1000).toUTCString() });
    let draft: Record<string, unknown> = {};
    const service = await startFakeService(({ method, path, body }: Asked): Reply => {
      const networks = { data: [{ chain_selector: CHAIN, chain_id: "31337" }], has_more: false };
      if (path === "/networks") return [200, networks, headers()];
      const [status, answer] = (method === "PATCH" ? steps.shift() : undefined) ?? [200, undefined];
      if (answer !== undefined && status !== 200) return [Number(status), answer, headers()];
      if (method !== "GET") {
        const state = body.signature ? "accepted" : "pending_signature";
        draft = { ...draft, operation_id: ID, status: state, signature: null, ...body };
      }
      return [method === "POST" ? 201 : 200, draft, headers()];
    });
    open.push(service);
    await service.client.networks.list();
    return { ...service, ofService: () => now() + offS };
  };
  const to = { to: ADDRESS, value: "1", data: "0x" };
  const operation = (deadline?: number) => ({
    ...{ chain_selector: CHAIN, address: ADDRESS, transactions: [to] },
    ...(deadline === undefined ? {} : { deadline }),
  });
  /** Asks a person, who signs at once. */
  const person = (): Signer => ({ ...localEcdsaSigner(generatePrivateKey()), timeoutMs: 60_000 });

  it("is sent, and signed by a person, until its deadline by the service's clock", async () => {
    for (const offS of [-10 * MINUTE_S, 10 * MINUTE_S]) {
      const { client, ofService } = await serve(offS);
      const soon = operation(ofService() + 5 * MINUTE_S);
      should((await client.operations.send(ID, soon, person())).operation.status).equal("accepted");
      const { operation: draft } = await client.operations.draft(ID, soon);
      const { status } = await client.operations.finalize(ID, draft.operation_id, person());
      should(status).equal("accepted");
    }
  });

  it("has by default 15 minutes by this machine's clock: the service cannot lengthen that", async () => {
    const { client, asked } = await serve(10 * MINUTE_S);
    await client.operations.draft(ID, operation());
    should(asked.at(-1)?.body.deadline).be.approximately(now() + 15 * MINUTE_S, 10);
  });

  it("is refused before it is sent where its deadline has passed by both clocks", async () => {
    const { client, ofService } = await serve(-10 * MINUTE_S);
    const error = await errorOf(client.operations.draft(ID, operation(ofService() - 1)));
    should(error).match({ code: "INVALID_ARGUMENT", path: "deadline" });
  });

  it("is not signed by a person who would be too late by the service's clock", async () => {
    const { client, ofService } = await serve(10 * MINUTE_S);
    const late = operation(ofService() - 1);
    const asked: unknown[] = [];
    const signer = { ...person(), sign: async () => asked.push("asked") as never };
    const error = await errorOf(client.operations.send(ID, late, signer));
    should(error).be.instanceof(SignerError).and.match({ code: "SIGNER_TIMEOUT" });
    should(asked).be.empty();
  });

  it("is finalized again after a lost answer, until a minute before that", async () => {
    const { client, ofService, asked } = await serve(-10 * MINUTE_S, [
      [502, "lost"],
      [502, "lost"],
    ]);
    const { operation: draft } = await client.operations.draft(ID, operation(ofService() + 5 * MINUTE_S));
    const signer = localEcdsaSigner(generatePrivateKey());
    should((await client.operations.finalize(ID, draft.operation_id, signer)).status).equal("accepted");
    should(asked.filter(({ method }) => method === "PATCH")).have.length(3);
  });
});

/** The real service has the right time; the client runs in a process whose clock is off. */
describe("every method of the client, in a process whose clock is 10 minutes off", function () {
  this.timeout(180_000);

  itWide("works as with the right time", async () => {
    const world = await makeWorld(KEY);
    try {
      for (const offMs of [600_000, -600_000]) {
        const cells = await clockCells(world.ready, { name: "10 minutes off", offMs }, KEY);
        should(cells.length).be.above(40);
        should(cells.filter(({ code }) => code !== undefined)).deepEqual([]);
      }
    } finally {
      await world.close();
    }
  });
});
