import should from "should";
import type { RequestedQuery, VerifyConfig } from "../../src/proofs/index.ts";
import { type Query, type QueryParams, ZERO_ADDRESS } from "../../src/protocol/index.ts";
import { onEachEngine } from "./engines.ts";
import { caseNamed, configOf, ownConfig, shouldBeRejected, signedEvent } from "./fixtures.ts";

const SELECTOR = "16015286601757825753";
const WALLET = "0x66e1BB813E19adD1B0EF1e2258f8399E7440457e";

onEachEngine("verifyQuery", (verifierOf) => {
  const verifyQuery = (query: Query, config: VerifyConfig & { requested?: RequestedQuery }) =>
    verifierOf(config).verifyQuery(query, config);

  /** The resource as the service would answer for the query of a status event. */
  function queryOf(name: string): Query {
    const { payload, headers } = caseNamed(name).event;
    return {
      ...payload,
      channel_id: "7e77863e-8c8d-44b2-a0e0-45cad1325017",
      query_kind: "evm_call",
      proof: headers.proofs[0],
    } as unknown as Query;
  }

  it("accepts the proof itself, or a list of it", async () => {
    for (const name of ["query.status completed", "query.status failed"]) {
      const query = queryOf(name);
      const { verified } = await verifyQuery(
        { ...query, channel_id: await signedChannel(query) },
        configOf(),
      );
      should(verified).be.true();
      const listed = { ...query, channel_id: await signedChannel(query), proof: [query.proof] };
      should((await verifyQuery(listed, configOf())).verified).be.true();
    }
  });

  it("rejects for the same reasons as the event", async () => {
    const query = queryOf("query.status completed");
    shouldBeRejected(await verifyQuery({ ...query, proof: undefined }, configOf()), "no_proof");
    shouldBeRejected(await verifyQuery({ ...query, status: "sent" }, configOf()), "not_verifiable");
    shouldBeRejected(
      await verifyQuery({ ...query, status: "failed" }, configOf()),
      "unsigned_field_mismatch",
    );
    shouldBeRejected(
      await verifyQuery({ ...query, channel_id: "other" }, configOf()),
      "unsigned_field_mismatch",
    );
    shouldBeRejected(await verifyQuery(undefined as never, configOf()), "malformed_event");
  });

  it("accepts only the answer to the requested query, where one is given", async () => {
    const resource = queryOf("query.status completed");
    const query = { ...resource, channel_id: await signedChannel(resource) };
    const params: QueryParams = {
      contract_address: query.target.toLowerCase(),
      call_data: "18160DDD",
      block_selection: { type: "finalized" },
    };
    const requested: RequestedQuery = {
      queryId: query.query_id,
      chainSelector: query.chain_selector,
      params,
    };
    const resultFor = (changes: Partial<RequestedQuery>) =>
      verifyQuery(query, { ...configOf(), requested: { ...requested, ...changes } });
    should((await resultFor({})).verified).be.true();
    should((await resultFor({ params: { ...params, from_address: ZERO_ADDRESS } })).verified).be.true();

    const otherParams: Array<[string, Partial<QueryParams>]> = [
      ["contract_address", { contract_address: WALLET }],
      ["from_address", { from_address: WALLET }],
      ["call_data", { call_data: "0x18160ddd00" }],
      ["block_selection", { block_selection: { type: "latest" } }],
      ["block_selection", { block_selection: { type: "block_number", block_number: "6500000" } }],
    ];
    const others: Array<[string, Partial<RequestedQuery>]> = [
      ["query_id", { queryId: "7c9e6679-7425-40de-944b-e07fc1f90ae7" }],
      ["chain_selector", { chainSelector: "5009297550715157269" }],
      ...otherParams.map(([field, changes]): [string, Partial<RequestedQuery>] => [
        field,
        { params: { ...params, ...changes } },
      ]),
    ];
    for (const [field, changes] of others) {
      const result = await resultFor(changes);
      shouldBeRejected(result, "unsigned_field_mismatch");
      should(result)
        .have.property("message")
        .match(new RegExp(`another ${field} than the requested one`));
    }
  });

  it("reads the number of a requested block as a number", async () => {
    const data = {
      query_id: "q",
      channel_id: "c",
      target: { from_address: ZERO_ADDRESS, contract_address: WALLET, call_data: "0x" },
      block_selection: { requested: { type: "block_number", block_number: "12" } },
      result: { raw_return_data: "0x" },
    };
    const payload = { query_id: "q", status: "completed", target: WALLET, chain_selector: SELECTOR };
    const event = signedEvent("query.status", { chain_selector: SELECTOR, data }, payload);
    const query = { ...event.payload, proof: event.headers.proofs } as unknown as Query;
    const resultFor = (block_number: string) => {
      const block_selection = { type: "block_number", block_number } as const;
      const params = { contract_address: WALLET, call_data: "0x", block_selection };
      const requested = { queryId: "q", chainSelector: SELECTOR, params };
      return verifyQuery(query, { ...ownConfig, requested });
    };
    should((await resultFor("0012")).verified).be.true();
    shouldBeRejected(await resultFor("13"), "unsigned_field_mismatch");
  });

  async function signedChannel(query: Query): Promise<string> {
    const text = Buffer.from(query.verifiable_result ?? "", "base64").toString();
    return JSON.parse(text).data.channel_id;
  }
});
