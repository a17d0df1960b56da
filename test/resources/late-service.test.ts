import should from "should";
import type { RunningService } from "../../service/src/index.ts";
import {
  CrecClient,
  encodeFunctionCall,
  eventFragments,
  generatePrivateKey,
  isEvent,
  localEcdsaSigner,
  parseAbi,
} from "../../src/index.ts";
import { errorOf } from "../http/support.ts";
import { type Harm, type Passing, ServiceProxy } from "../support/proxy.ts";
import { startTestService } from "../support/service.ts";

/** So long the service does not know what it has created. */
const LATE_MS = 600;
const CODES: Readonly<Record<string, string>> = {
  channels: "CHANNEL_NOT_FOUND",
  wallets: "WALLET_NOT_FOUND",
  watchers: "WATCHER_NOT_FOUND",
  operations: "OPERATION_NOT_FOUND",
  queries: "QUERY_NOT_FOUND",
};

/** The local service, as late with what it created and as strict in a search as the public one may be. */
describe("a service that is late, and refuses to search by operation and query", function () {
  this.timeout(60_000);

  let service: RunningService;
  let proxy: ServiceProxy;
  let client: CrecClient;
  /** When each was created, on the clock of what passes. */
  const created = new Map<string, number>();
  const late: string[] = [];

  const refusal = (type: string, code?: string): Harm => {
    const status = type === "NOT_FOUND" ? 404 : 400;
    return { kind: "answer", status, body: JSON.stringify({ type, code, message: "" }) };
  };
  const harm = ({ method, path, query, at }: Passing): Harm | undefined => {
    if (path.endsWith("/events/search") && /[?&](operation_id|query_id)=/.test(query))
      return refusal("VALIDATION_ERROR");
    for (const [, kind = "", id = ""] of path.matchAll(/([a-z]+)\/([0-9a-f-]{36})/g)) {
      const since = created.get(id);
      if (since === undefined || at - since > LATE_MS) continue;
      late.push(`${method} ${kind}`);
      return refusal("NOT_FOUND", CODES[kind]);
    }
    if (method !== "POST") return undefined;
    const change = (body: string) => {
      const answer: Record<string, unknown> = JSON.parse(body);
      const collection = path.split("/").at(-1);
      const field = collection === "queries" ? "query_id" : `${collection?.slice(0, -1)}_id`;
      created.set(String(answer[field]), performance.now());
      return body;
    };
    return { kind: "change", change };
  };

  before(async () => {
    service = await startTestService();
    proxy = await ServiceProxy.before(service.ready.base_url);
    proxy.harm = harm;
    client = new CrecClient({ baseUrl: proxy.baseUrl, apiKey: service.ready.api_key });
  });
  after(async () => {
    await client?.close();
    await proxy?.close();
    await service?.close();
  });

  it("does not stop a client from the first channel to a confirmed operation and an answer", async () => {
    const { chain_selector, contracts } = service.ready;
    const { Counter: counter = "" } = contracts;
    const signer = localEcdsaSigner(generatePrivateKey());
    const abi = parseAbi([
      "function increment()",
      "function failWithReason(string reason)",
      "event Incremented(address indexed by, uint256 amount, uint256 count)",
    ]);
    const { channel_id: channelId } = await client.channels.create({ name: "late" });
    const { watcher_id } = await client.watchers.create(channelId, {
      name: "counts",
      chain_selector,
      address: counter,
      events: ["Incremented"],
      abi: eventFragments(abi, ["Incremented"]),
    });
    await client.watchers.waitFor(channelId, watcher_id, { target: "active" });
    const { wallet_id } = await client.wallets.create({
      name: "late payer",
      chain_selector,
      wallet_type: "ecdsa",
      wallet_owner_address: signer.address,
      allowed_ecdsa_signers: [signer.address],
      status_channel_id: channelId,
    });
    const wallet = await client.wallets.waitFor(wallet_id, { target: "deployed", by: "events" });
    const send = async (data: string) => {
      const transactions = [{ to: counter, value: "0", data }];
      const { operation } = await client.operations.send(
        channelId,
        { chain_selector, address: wallet.address, transactions },
        signer,
      );
      return operation.operation_id;
    };
    const rungs: string[] = [];
    const operationId = await send(encodeFunctionCall({ abi, function: "increment" }).data);
    for await (const { status } of client.operations.follow(channelId, operationId)) {
      rungs.push(status);
      if (status === "confirmed_latest") break;
    }
    should(rungs).deepEqual(["accepted", "sending", "sent", "broadcasting", "confirmed_latest"]);

    const failing = encodeFunctionCall({ abi, function: "failWithReason", args: ["too hot"] });
    const wait = { target: "confirmed", by: "events" } as const;
    const failed = await errorOf(client.operations.waitFor(channelId, await send(failing.data), wait));
    should(failed).match({ code: "OPERATION_FAILED", reason: /too hot/ });

    const { query_id } = await client.queries.create(channelId, {
      chain_selector,
      params: {
        contract_address: contracts.DemoToken ?? "",
        call_data: "0x313ce567",
        block_selection: { type: "latest" },
      },
    });
    const statuses: string[] = [];
    const onStatus = ({ status }: { status: string }) => statuses.push(status);
    await client.queries.waitFor(channelId, query_id, { by: "events", onStatus });
    should(statuses).deepEqual(["accepted", "sending", "sent", "completed"]);
    const found: unknown[] = [];
    for await (const event of client.events.search(channelId, { query_id })) {
      if (isEvent(event, "query.status")) found.push(event.payload.status);
    }
    should(found).deepEqual(statuses);

    should(late).containEql("POST channels").and.containEql("GET watchers");
    should(late).containEql("GET wallets");
    should(late).containEql("GET operations").and.containEql("GET queries");
  });

  it("refuses an id immediately that was never created", async () => {
    // Made past the proxy, so that it is not late.
    const direct = new CrecClient({ baseUrl: service.ready.base_url, apiKey: service.ready.api_key });
    const { channel_id: channelId } = await direct.channels.create({ name: "known" });
    await direct.close();
    const unknown = "0f8fad5b-d9cb-469f-a165-70867728950e";
    const passed = proxy.passed.length;
    const error = await errorOf(client.operations.get(channelId, unknown));
    should(error.code).equal("OPERATION_NOT_FOUND");
    should(proxy.passed.length - passed).equal(1);
  });
});
