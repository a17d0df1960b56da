import { once } from "node:events";
import { get, type IncomingHttpHeaders } from "node:http";
import should from "should";
import { originCalled } from "../src/api/local/pages.ts";
import { startTestService } from "./support.ts";

const PATH = "/local/node-red.json";
/** What a browser sends when a link on another site is clicked. */
const LINK = { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" };

/** Not by `fetch`, which sets some of these headers itself. */
async function answer(baseUrl: string, headers: IncomingHttpHeaders = {}) {
  const [response] = await once(get(baseUrl + PATH, { headers }), "response");
  let text = "";
  for await (const chunk of response) text += chunk;
  return { status: response.statusCode as number, text, headers: response.headers as IncomingHttpHeaders };
}

describe("the settings for Node-RED, which have a signing key", function () {
  this.timeout(60_000);

  it("need no API key where that is public: for programs, and for a person who follows a link", async () => {
    const { api, dispose } = await startTestService();
    try {
      const { base_url } = api.ready;
      for (const headers of [{}, { ...LINK, "sec-fetch-site": "none" }, LINK]) {
        const { status, text } = await answer(base_url, headers);
        should(status).equal(200);
        should(text).match(/"CREC_SIGNER_KEY",\s+"value": "[0-9a-f]{64}"/);
      }
    } finally {
      await dispose();
    }
  });

  it("are for no other web page: neither fetched, nor in a frame, nor by a name of its own", async () => {
    const { api, dispose } = await startTestService();
    try {
      const { base_url } = api.ready;
      const others: IncomingHttpHeaders[] = [
        { "sec-fetch-site": "cross-site", "sec-fetch-mode": "cors", "sec-fetch-dest": "empty" },
        { "sec-fetch-site": "same-site", "sec-fetch-mode": "no-cors", "sec-fetch-dest": "script" },
        { ...LINK, "sec-fetch-dest": "iframe" },
        { ...LINK, host: "elsewhere.example" },
        { origin: "https://elsewhere.example" },
      ];
      for (const headers of others) {
        const { status, text } = await answer(base_url, headers);
        should([status, text.includes("CREC_SIGNER_KEY")]).eql([403, false], JSON.stringify(headers));
      }
      const { headers } = await answer(base_url);
      should(headers["access-control-allow-origin"]).be.undefined();
      should(headers).containEql({
        "cross-origin-resource-policy": "same-origin",
        "cache-control": "no-store",
      });
    } finally {
      await dispose();
    }
  });

  it("need the API key where that is a secret, also in a browser", async () => {
    const { api, dispose } = await startTestService({ apiKey: "my-own-key" });
    try {
      const { base_url } = api.ready;
      for (const headers of [{}, LINK]) should((await answer(base_url, headers)).status).equal(401);
      should((await answer(base_url, { authorization: "Apikey my-own-key" })).status).equal(200);
    } finally {
      await dispose();
    }
  });

  it("name the address that was called", () => {
    should(originCalled("local-service:8787")).equal("http://local-service:8787");
    for (const host of [undefined, "", "a b"]) {
      should(() => originCalled(host)).throw({ status: 400, message: /^The header Host/ });
    }
  });
});
