import should from "should";
import { ArgumentError, CrecClient, type CrecClientOptions } from "../../src/index.ts";

/** What a client cannot be made with: found at once, and named. */
describe("the options of a client", () => {
  const fine: CrecClientOptions = { baseUrl: "http://127.0.0.1:1/v1", apiKey: "a-secret-key" };
  const refused: Array<[option: keyof CrecClientOptions, value: unknown, path?: string]> = [
    ["baseUrl", ""],
    ["baseUrl", "127.0.0.1:8787"],
    ["baseUrl", "ftp://host/v1"],
    ["baseUrl", "https://user:sesame@host/v1"],
    ["baseUrl", "https://host/v1?key=a"],
    ["graphqlUrl", "no address"],
    ["apiKey", 7],
    ["apiKey", ""],
    ["apiKey", "  "],
    ["apiKey", "two\nlines"],
    ["apiKey", "kéy"],
    ["timeoutMs", 0],
    ["timeoutMs", Number.NaN],
    ["attemptTimeoutMs", -1],
    ["maxAttempts", 0],
    ["maxAttempts", 1.5],
    ["maxConcurrency", 0],
    ["maxResponseBytes", -1],
    ["waitSearchesPerSecond", 0],
    ["proxy", "http://ho st:3128"],
    ["proxy", "socks5://user:sesame@host"],
    ["chainIds", { Sepolia: "11155111" }, "chainIds[Sepolia]"],
    ["chainIds", { "16015286601757825753": "0xaa36a7" }, "chainIds[16015286601757825753]"],
  ];
  for (const [option, value, path = option] of refused) {
    it(`refuse ${option} ${JSON.stringify(value)}`, () => {
      const make = () => new CrecClient({ ...fine, [option]: value });
      should(make).throw(ArgumentError, { code: "INVALID_ARGUMENT", path });
      // What was given may hold a secret.
      should(make).throw(/^(?!.*sesame)/);
    });
  }

  it("take times beyond what a timer holds, and a slash at the end of the address", async () => {
    const client = new CrecClient({ ...fine, baseUrl: "http://127.0.0.1:1/v1/", timeoutMs: 1e12 });
    should(client.baseUrl).equal("http://127.0.0.1:1/v1");
    await client.close();
  });
});
