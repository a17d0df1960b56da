import should from "should";
import { encodeFunctionData, stringToBytes, stringToHex, toHex } from "viem";
import { type DecodedWatcherEvent, decodeEvent, verifyEvent } from "../../src/proofs/index.ts";
import type { EventEnvelope, VerifiableEvent, Watcher } from "../../src/protocol/index.ts";
import { artifact } from "../src/chain/demo/contracts.ts";
import { type Api, signedText, startTestService } from "./support.ts";
import { sendFrom } from "./transactions.ts";

const FUND = stringToBytes("demo fund", { size: 32 });

describe("watchers of a service", function () {
  this.timeout(120_000);
  let api: Api;
  let dispose: () => Promise<void>;

  before(async () => {
    ({ api, dispose } = await startTestService());
  });
  after(() => dispose());

  const create = async (channelId: string, change: object) => {
    const body = {
      name: `watcher ${Math.random()}`,
      chain_selector: api.ready.chain_selector,
      address: api.ready.contracts.DemoToken,
      service: "erc20",
      events: ["Transfer"],
      ...change,
    };
    const { watcher_id } = await api.ok<Watcher>("POST", `/channels/${channelId}/watchers`, body);
    return await api.until<Watcher>(`/channels/${channelId}/watchers/${watcher_id}`, "active", "failed");
  };
  const observed = (events: EventEnvelope[]) =>
    events.filter(
      (event) =>
        event.headers.type === "watcher.event" &&
        signedText<VerifiableEvent>(event).chain_event?.confidence === "latest",
    );
  const reasonOf = async (channelId: string, watcher: Watcher) =>
    (await api.events(channelId)).findLast((event) => event.payload.watcher_id === watcher.watcher_id)
      ?.payload.status_reason;
  const send = (contract: "DemoToken" | "SensorRegistry", functionName: string, args: unknown[]) =>
    sendFrom(api, {
      to: api.ready.contracts[contract] ?? "",
      data: encodeFunctionData({ abi: artifact(contract).abi, functionName, args }),
    });

  it("report transfers and approvals of a token without an ABI, in units of the token, signed", async () => {
    const channelId = await api.channel();
    const watcher = await create(channelId, { events: ["Transfer", "Approval"] });
    watcher.should.containDeep({ status: "active", service: "erc20", events: ["Transfer", "Approval"] });
    should(watcher.abi).be.undefined();
    const to = "0x00000000000000000000000000000000000000A7";
    await api.ok("POST", "/local/faucet", { to, amount: "1500000000000000000" });
    const sender = await send("DemoToken", "approve", [to, 25n]);
    const events = observed(await api.eventsUntil(channelId, (all) => observed(all).length === 2));
    const [transfer, approval] = events.map((event) => signedText<VerifiableEvent>(event));
    const token = { token: api.ready.contracts.DemoToken, symbol: "DEMO", decimals: 18 };
    should(transfer).containDeep({ service: "erc20", name: "Transfer" });
    should(transfer?.data).containEql({ ...token, to, value: "1500000000000000000", amount: "1.5" });
    should(transfer?.chain_event?.params).containEql({ to, value: "1500000000000000000" });
    should(approval?.data).eql({
      ...token,
      owner: sender,
      spender: to,
      value: "25",
      amount: "0.000000000000000025",
    });
    const [first] = events as [EventEnvelope];
    const verdict = await verifyEvent(first, {
      workflowOwner: api.ready.workflow_owner,
      validSigners: api.ready.valid_signers,
      minRequiredSignatures: api.ready.min_required_signatures,
    });
    should(verdict.verified).be.true();
    should(decodeEvent(first)).containDeep({ service: "erc20", name: "Transfer", data: { amount: "1.5" } });

    const found = await api.ok<{ events: EventEnvelope[] }>(
      "GET",
      `/channels/${channelId}/events/search?type=watcher.event&service=erc20&event_name=Approval`,
    );
    should(found.events.length).be.above(0);
    for (const service of ["erc20", "sensor"]) {
      const path = `/channels/${channelId}/watchers?service=${service}`;
      const { data } = await api.ok<{ data: Watcher[] }>("GET", path);
      data.map(({ watcher_id }) => watcher_id).should.eql(service === "erc20" ? [watcher.watcher_id] : []);
    }
    const told = (await api.events(channelId)).filter((event) => event.headers.type === "watcher.status");
    told
      .map((event) => [event.payload.status, event.payload.service])
      .should.eql([
        ["pending", "erc20"],
        ["active", "erc20"],
      ]);
  });

  it("report sensors in their units, all or the listed ones", async () => {
    const channelId = await api.channel();
    const address = api.ready.contracts.SensorRegistry;
    const [door, roof] = ["door-1", "roof-1"].map((name) => stringToHex(name, { size: 32 }));
    const all = await create(channelId, {
      service: "sensor",
      address,
      events: ["SensorReading", "SensorBatch"],
    });
    const config = { sensors: ["roof-1"] };
    const one = await create(channelId, {
      service: "sensor",
      address,
      events: ["SensorReading"],
      service_config: config,
    });
    should(one.service_config).eql(config);
    const reporter = await send("SensorRegistry", "report", [
      door,
      -21_500n,
      1_700_000_000n,
      97,
      true,
      "°C",
      "0x01ff",
    ]);
    await send("SensorRegistry", "report", [roof, 7n, 2n ** 63n, 1, false, "mm", "0x"]);
    await send("SensorRegistry", "reportBatch", [door, "Oslo", [-1n, 2500n], 1_700_000_060n]);
    const events = observed(await api.eventsUntil(channelId, (seen) => observed(seen).length === 4));
    const dataOf = (watcher: Watcher) =>
      events
        .filter((event) => event.payload.watcher_id === watcher.watcher_id)
        .map((event) => signedText<VerifiableEvent>(event).data);
    const [first, second, batch] = dataOf(all);
    should(first).eql({
      sensor_id: door,
      sensor: "door-1",
      reporter,
      value: "-21.5",
      unit: "°C",
      taken_at: "2023-11-14T22:13:20Z",
      quality: 97,
      alarm: true,
      payload: "0x01ff",
    });
    should(second).containEql({ sensor: "roof-1", value: "0.007", taken_at: String(2n ** 63n) });
    should(batch).containEql({ sensor: "door-1", samples: ["-0.001", "2.5"] });
    should(batch?.last).eql({ value: "2.5", taken_at: "2023-11-14T22:14:20Z", quality: 100, alarm: false });
    should(dataOf(one)).eql([second]);
  });

  /** What the public service signs of the opening of a settlement, down to how Go writes structs. */
  const hasPublicForm = async (
    event: EventEnvelope | undefined,
    made: { request_id: string; from: string; currency: string; amount: number },
  ) => {
    const verdict = await verifyEvent(event as EventEnvelope, {
      workflowOwner: api.ready.workflow_owner,
      validSigners: api.ready.valid_signers,
      minRequiredSignatures: api.ready.min_required_signatures,
    });
    should(verdict.verified).be.true();
    const { data, chain_event } = signedText<VerifiableEvent>(event as EventEnvelope);
    const { DemoDta } = api.ready.contracts;
    const party = made.from.toLowerCase();
    const nobody = `0x${"0".repeat(40)}`;
    const source = { contract_address: DemoDta, block: "latest" };
    const value = data?.value as {
      on_chain: Array<{ data: { distributor_request: Record<string, number> } }>;
    };
    const request = value.on_chain[0]?.data.distributor_request;
    should(request?.ReferenceID).be.an.Array().and.have.length(32);
    should(data).deepEqual({
      type: "reference_data",
      value: {
        on_chain: [
          {
            source: {
              ...source,
              contract_function_signature: "getDistributorRequest(bytes32)",
              call_data: callDataOf("getDistributorRequest", [made.request_id]),
            },
            data: {
              distributor_request: {
                ...{ Shares: 1_250e18, Amount: 1_250e18, FundTokenId: [...FUND] },
                ...{ ReferenceID: request?.ReferenceID, FundAdminAddr: party, DistributorAddr: party },
                ...{ CreatedAt: request?.CreatedAt, RequestType: 1, Status: request?.Status },
              },
            },
          },
          {
            source: {
              ...source,
              contract_function_signature: "getFundToken(address,bytes32)",
              call_data: callDataOf("getFundToken", [made.from, toHex(FUND)]),
            },
            data: {
              enabled: true,
              fund_token_data: {
                ...{ FundTokenAddr: nobody, NavFeedDecimals: 18, PurchaseTokenRoundingDecimals: 2 },
                ...{ PurchaseTokenDecimals: 18, FundRoundingDecimals: 2, FundTokenDecimals: 18 },
                ...{ RequestsPerDay: 0, NavAddr: nobody },
                TokenChainSelector: Number(api.ready.chain_selector),
                ...{
                  DtaRequestSettlementAddr: DemoDta?.toLowerCase(),
                  TimezoneOffsetSecs: 0,
                  NavTTL: 86_400,
                },
                PaymentInfo: {
                  OffChainPaymentCurrency: 147,
                  ...{ PaymentTokenSourceAddr: nobody, PaymentTokenDestAddr: nobody },
                },
              },
            },
          },
        ],
        off_chain: [
          {
            source: { type: "ISO Standard", identifier: "ISO 4217" },
            data: { currency_id: 147, currency_code: made.currency },
          },
        ],
        requests: [
          {
            type: "payment_request",
            value: {
              ...{ applicationType: "dta.v2", applicationAddr: DemoDta, e2eId: made.request_id },
              ...{ sender: made.from, receiver: made.from, currency: made.currency },
              ...{ chainId: api.ready.chain_id, amount: made.amount },
              expiration: (chain_event?.block_timestamp as number) + 3_600_000_000_000,
              customCallback: {
                ...{ contractAddress: DemoDta, functionName: "completeRequestProcessing" },
                functionSignature: "completeRequestProcessing(bytes32,bool,bytes,bool)",
              },
            },
          },
        ],
      },
    });
  };
  const callDataOf = (functionName: string, args: unknown[]) =>
    encodeFunctionData({ abi: artifact("DemoDta").abi, functionName, args });

  it("report a settlement and a request by name, with what the contract has of them", async () => {
    const channelId = await api.channel();
    const events = ["SettlementOpened", "SettlementAccepted", "SettlementClosing", "SettlementSettled"];
    await create(channelId, { service: "dvp", address: api.ready.contracts.DemoDvp, events });
    const requests = [
      ...["SubscriptionRequested", "DistributorRequestProcessing", "DTASettlementOpened"],
      ...["DTASettlementClosed", "DistributorRequestProcessed"],
    ];
    await create(channelId, { service: "dta.v2", address: api.ready.contracts.DemoDta, events: requests });
    type Called = { settlement_id: string; settlement_hash: string; request_id: string; from: string };
    const call = (name: "dvp" | "dta", body: object) => api.ok<Called>("POST", `/local/${name}`, body);
    const opened = await call("dvp", { action: "open" });
    for (const action of ["accept", "settle"]) await call("dvp", { action });
    const made = await call("dta", { action: "subscribe", amount: "1250000000000000000001" });
    for (const action of ["process", "fail"]) await call("dta", { action, request_id: made.request_id });
    const seen = observed(await api.eventsUntil(channelId, (all) => observed(all).length === 9));
    const decoded = seen.map((event) => decodeEvent(event) as DecodedWatcherEvent);
    should(decoded.map(({ name, service }) => `${service} ${name}`)).deepEqual([
      ...events.map((name) => `dvp ${name}`),
      ...requests.map((name) => `dta.v2 ${name}`),
    ]);
    const { settlement_id, settlement_hash } = opened;
    should(decoded[3]?.params).deepEqual({ settlementId: settlement_id, settlementHash: settlement_hash });
    should(decoded[3]?.data).containDeep({
      settlement_id,
      settlement_hash,
      dvp: {
        party_info: { executor_address: opened.from },
        token_info: { payment_token_amount: 500_000_000 },
      },
    });
    should(decoded[4]?.params).containDeep({ requestId: made.request_id, amount: "1250000000000000000001" });
    should(decoded[8]).containDeep({
      params: { shares: "1250000000000000000001", status: "5", error: "0x6661696c6564" },
      words: { status: "Failed" },
      reference: {
        distributorRequest: { amount: "1250000000000000000000", words: { requestType: "Subscription" } },
        fundToken: {
          enabled: true,
          fundTokenDecimals: "18",
          paymentInfo: { offChainPaymentCurrency: "147" },
        },
        rounded: ["distributorRequest.shares", "distributorRequest.amount", "fundToken.tokenChainSelector"],
      },
    });
    await hasPublicForm(seen[6], { ...made, currency: "USD", amount: 1250 });
    should(decoded[6]?.reference).containDeep({ currency: "USD", paymentRequests: [{ currency: "USD" }] });
    should(decoded[7]?.params).containDeep({ success: false, err: "0x6661696c6564" });
    should(decoded[7]?.reference).have.property("currency", "USD");
    should(decoded[7]?.reference).not.have.property("paymentRequests");
    const refused = async (name: "dvp" | "dta", body: object) =>
      (await api.call<{ message: string }>("POST", `/local/${name}`, body)).body.message;
    should(await refused("dvp", { action: "cancel" })).match(/DemoDvp is not possible: CannotCancel\(\)\.$/);
    should(await refused("dvp", { action: "accept", expires_in: 1 })).match(
      /^accept does not use expires_in/,
    );
    should(await refused("dta", { action: "process", amount: "1" })).match(/^process does not use amount/);
    should(await refused("dta", { action: "complete" })).match(/RequestNotInStatus\(.*actualStatus: 5\)/);
  });

  it("fail with a reason when they cannot be provisioned", async () => {
    const channelId = await api.channel();
    const nobody = `0x${"12".repeat(20)}`;
    const refusals: Array<[object, RegExp]> = [
      [
        { service: "dta.v1" },
        /^There is no watcher service "dta\.v1"\. There are: erc20, sensor, dta\.v2, dvp\.$/,
      ],
      [{ service: "dvp" }, /^The service dvp has no event "Transfer"\. It has: SettlementOpened, /],
      [
        { service: "dvp", events: ["SettlementOpened"], service_config: { a: 1 } },
        /has no setting "a"; this service has none\.$/,
      ],
      [{ service: "constructor" }, /^There is no watcher service "constructor"/],
      [{ events: ["Burn"] }, /^The service erc20 has no event "Burn"\. It has: Approval, Transfer\.$/],
      [{ address: nobody }, /^There is no contract at 0x1212/],
      [{ address: api.ready.contracts.Counter }, /has no decimals function/],
      [{ service_config: { decimals: 300 } }, /^service_config\.decimals must be a whole number/],
      [{ service_config: { colour: 1 } }, /^service_config has no setting "colour"; it has: decimals\.$/],
      [
        { service: "sensor", events: ["SensorReading"], service_config: { sensors: "a" } },
        /must be a list of sensors/,
      ],
    ];
    for (const [change, reason] of refusals) {
      const watcher = await create(channelId, change);
      should(watcher.status).equal("failed");
      should(String(await reasonOf(channelId, watcher))).match(reason);
    }
    const given = await create(channelId, {
      address: api.ready.contracts.Counter,
      service_config: { decimals: 6 },
    });
    should(given.status).equal("active");
  });

  it("can be archived again after a failure, and keep their channel until then", async () => {
    const channelId = await api.channel();
    const archiveChannel = () => api.call("PATCH", `/channels/${channelId}`, { status: "archived" });
    const watcher = await create(channelId, {});
    (await archiveChannel()).should.containDeep({ status: 409, body: { type: "CONFLICT" } });
    await api.ok("POST", "/local/failures", { kind: "archive", reason: "the tear-down got stuck" });
    const path = `/channels/${channelId}/watchers/${watcher.watcher_id}`;
    should((await api.call("PATCH", path, { status: "archived" })).status).equal(202);
    await api.eventsUntil(channelId, (all) => all.at(-1)?.payload.status === "archive_failed");
    should(await reasonOf(channelId, watcher)).equal("the tear-down got stuck");
    should((await api.ok<Watcher>("GET", path)).status).equal("failed");
    should((await api.call("PATCH", path, { status: "archived" })).status).equal(202);
    await api.until<Watcher>(path, "archived");
    (await api.events(channelId))
      .map((event) => event.payload.status)
      .should.eql(["pending", "active", "archiving", "archive_failed", "archiving", "archived"]);
    should((await archiveChannel()).status).equal(200);
  });

  it("fail to be provisioned when a tester asks for it", async () => {
    const channelId = await api.channel();
    await api.ok("POST", "/local/failures", { kind: "watcher", reason: "no room for it" });
    const watcher = await create(channelId, {});
    should(watcher.status).equal("failed");
    should(await reasonOf(channelId, watcher)).equal("no room for it");
  });
});
