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
            timeoutMs: isExecuted ? 5_000 : 1_500,
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

  type Shown = [status: string, at: number];
  const signed = (status: string, at: number) => {
    const data = { wallet_operation_id: "42", wallet_address: operation.address, status };
    const text = JSON.stringify({ timestamp: new Date(at * 1000).toISOString(), data });
    return Buffer.from(text).toString("base64");
  };
  const shownEvent = ([status, at]: Shown, offset: number) => {
    const event = eventOf(status, offset);
    const proven = status === "failed" ? {} : { verifiable_event: signed(status, at) };
    return { ...event, created_at: at, payload: { ...event.payload, ...proven } };
  };
  for (const { what, first, late = [], seen: expected } of [
    {
      what: "a confirmation that the report may have withdrawn, but its finalized block",
      first: [
        ["confirmed_latest", 10],
        ["confirmed_safe", 11],
        ["failed", 20],
      ] as Shown[],
      late: [["confirmed", 30]] as Shown[],
      seen: ["failed", "confirmed"],
    },
    {
      what: "one that is shown only after the report",
      first: [["failed", 20]] as Shown[],
      late: [["confirmed_latest", 10]] as Shown[],
      seen: ["failed"],
    },
    {
      what: "one of the same second that came before it",
      first: [
        ["confirmed_latest", 20],
        ["failed", 20],
      ] as Shown[],
      seen: ["failed"],
    },
  ]) {
    it(`does not show ${what}`, async () => should(await statusesOf(first, late)).deepEqual(expected));
  }
  for (const { what, first, late = [] } of [
    {
      what: "was signed after it",
      first: [["failed", 20]] as Shown[],
      late: [["confirmed_latest", 30]] as Shown[],
    },
    {
      what: "was signed after it and comes before it in the channel",
      first: [
        ["confirmed_latest", 30],
        ["failed", 20],
      ] as Shown[],
    },
    {
      what: "follows it in the same second",
      first: [
        ["failed", 20],
        ["confirmed_latest", 20],
      ] as Shown[],
    },
  ]) {
    it(`shows a confirmation that ${what}`, async () =>
      should(await statusesOf(first, late)).containEql("confirmed_latest"));
  }
  const statusesOf = async (first: Shown[], late: Shown[]) => {
    let looks = 0;
    const service = await startFakeService(() => {
      looks += 1;
      const events = [...first, ...(looks > 1 ? late : [])].map(shownEvent);
      return [200, { events, has_more: false }];
    });
    const looking = { beyondFailure: true, timeoutMs: 500, pollMs: { min: 5, max: 5 } };
    const seen: string[] = [];
    try {
      for await (const { status } of service.client.operations.follow(ID, operation, looking))
        seen.push(status);
    } catch (error) {
      should((error as { code?: string }).code).equal("WAIT_TIMEOUT");
    }
    await service.close();
    return seen;
  };
});
