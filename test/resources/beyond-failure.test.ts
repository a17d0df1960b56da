import should from "should";
import { CHAIN, ID, startFakeService } from "./support.ts";

describe("an operation that is followed beyond its failure", () => {
  const operation = {
    ...{ operation_id: ID, chain_selector: CHAIN, address: `0x${"1".repeat(40)}`, wallet_operation_id: "42" },
  };
  const eventOf = (status: string, offset: number) => ({
    event_id: status,
    headers: { type: "operation.status", offset, proofs: [] },
    payload: { ...operation, status, status_reason: "OperationAlreadyExecuted(42)", timestamp: 1 },
  });

  for (const isExecuted of [true, false]) {
    it(
      isExecuted
        ? "is shown until its execution"
        : "is shown until the time is up, where nothing executes it",
      async () => {
        const statuses = ["sent", "failed", "expired", "cancelled", ...(isExecuted ? ["confirmed"] : [])];
        const service = await startFakeService(({ path }) =>
          path.endsWith("/events/search")
            ? [200, { events: statuses.map(eventOf), has_more: false }]
            : [200, { ...operation, status: "failed" }],
        );
        const seen: string[] = [];
        const look = async () => {
          const looking = {
            beyondFailure: true,
            timeoutMs: isExecuted ? 5_000 : 200,
            pollMs: { min: 5, max: 5 },
          };
          for await (const { status } of service.client.operations.follow(ID, ID, looking)) seen.push(status);
        };
        const code = await look().then(
          () => undefined,
          (error) => error.code,
        );
        await service.close();
        should(seen).deepEqual(statuses);
        should(code).equal(isExecuted ? undefined : "WAIT_TIMEOUT");
      },
    );
  }
});
