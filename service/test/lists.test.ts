import fc from "fast-check";
import should from "should";
import type { OperationStatus } from "../../src/protocol/index.ts";
import type { Store } from "../src/store/store.ts";
import { withoutUndefined, withStore } from "./searched-store.ts";

describe("lists of the local service", function () {
  this.timeout(120_000);

  it("return the same rows as a full scan, newest first", async () => {
    const drawn = fc.record({
      status: fc.constantFrom("accepted", "sent", "failed", "confirmed"),
      walletId: fc.constantFrom("w1", "w2"),
      here: fc.boolean(),
      one: fc.boolean(),
    });
    const question = fc.record({
      status: fc.option(fc.subarray(["accepted", "sent", "failed", "expired"]), { nil: undefined }),
      walletId: fc.option(fc.constantFrom("w1", "w2", "w3"), { nil: undefined }),
      subject: fc.option(fc.constantFrom("one", "other"), { nil: undefined }),
      limit: fc.integer({ min: 1, max: 30 }),
      offset: fc.integer({ min: 0, max: 60 }),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(drawn, { maxLength: 120, size: "max" }),
        fc.array(question, { minLength: 6, maxLength: 6 }),
        async (rows, asked) => {
          await withStore([], async (stores, channelId) => {
            const { operations } = stores(0);
            for (const [index, { status, walletId, here, one }] of rows.entries()) {
              createOperation(operations, {
                ...{ id: index, channelId: here ? channelId : "elsewhere", walletId },
                ...{ status: status as OperationStatus, subject: one ? "one" : "other" },
              });
            }
            for (const { status, walletId, subject, limit, offset } of asked) {
              const all = [...rows.entries()]
                .reverse()
                .filter(
                  ([, row]) =>
                    row.here &&
                    (status === undefined || status.length === 0 || status.includes(row.status)) &&
                    (walletId === undefined || row.walletId === walletId) &&
                    (subject === undefined || row.one === (subject === "one")),
                );
              const found = await operations.list({
                ...withoutUndefined({ status, walletId }),
                ...{ channelId, limit, offset },
                subjects: { "initiator ->> '$.subject_id'": subject },
              });
              should({ ...found, data: found.data.map(({ operation_id }) => operation_id) }).eql({
                data: all.slice(offset, offset + limit).map(([index]) => String(index)),
                has_more: all.length > offset + limit,
              });
            }
          });
        },
      ),
      { numRuns: 12 },
    );
  });

  for (const status of [undefined, ["accepted", "confirmed"]]) {
    const asked = status === undefined ? "without a status filter" : "with several statuses";
    it(`${asked} return each row once over all pages while rows change their status between slices`, async () => {
      await withOperations(60, async (operations, channelId) => {
        const found: string[] = [];
        for (let offset = 0, more = true; more; offset += 7) {
          const page = operations.list({ channelId, limit: 7, offset, ...(status && { status }) });
          const { data, has_more } = await meanwhile(page, (turn) => {
            if (turn < 60) operations.setStatus(String((turn * 7) % 60), "confirmed");
          });
          found.push(...data.map(({ operation_id }) => operation_id));
          more = has_more;
          for (let id = 0; id < 60; id += 1) operations.setStatus(String(id), "accepted");
        }
        should(found).eql(Array.from({ length: 60 }, (_, index) => String(59 - index)));
      });
    });
  }

  it("return full pages as long as there are more rows, while rows leave the list between slices", async () => {
    await withOperations(60, async (operations, channelId) => {
      for (const limit of [1, 5]) {
        const page = operations.list({ channelId, limit, offset: 0, status: ["accepted"] });
        const left = limit === 1 ? 0 : 30;
        const { data, has_more } = await meanwhile(page, (turn) => {
          if (turn < 10) operations.setStatus(String(59 - left - turn), "sending");
        });
        should(data).have.length(limit);
        should(has_more).be.true();
        should(data.every((operation) => operation.status === "accepted")).be.true();
      }
    });
  });
});

function createOperation(
  operations: Store["operations"],
  of: { id: number; channelId: string; walletId?: string; status?: OperationStatus; subject?: string },
): void {
  const { id, channelId, walletId = "w1", status = "accepted", subject = "one" } = of;
  operations.create({
    ...{
      operation_id: `${id}`,
      channelId,
      walletId,
      status,
      chain_selector: "1",
      address: "0x",
      deadline: 0,
    },
    ...{ wallet_operation_id: `${id}`, transactions: [], signature: null, digest: "0x" },
    initiator: { subject_type: "user", subject_id: subject },
  });
}

/** `count` accepted operations of a channel, in a store with the shortest slices. */
async function withOperations(
  count: number,
  use: (operations: Store["operations"], channelId: string) => Promise<void>,
): Promise<void> {
  await withStore([], async (stores, channelId) => {
    const { operations } = stores(0);
    for (let index = 0; index < count; index += 1) createOperation(operations, { id: index, channelId });
    await use(operations, channelId);
  });
}

/** Awaits a promise, and calls `work` in each turn of the event loop until then. */
async function meanwhile<T>(awaited: Promise<T>, work: (turn: number) => void): Promise<T> {
  let isOver = false;
  const run = async () => {
    for (let turn = 0; !isOver; turn += 1) {
      work(turn);
      await new Promise(setImmediate);
    }
  };
  const end = awaited.finally(() => {
    isOver = true;
  });
  const [result] = await Promise.all([end, run()]);
  return result;
}
