import should from "should";
import { type ProxyNode, proxyOf, proxyProblem } from "../../nodes/common/fields/proxy-and-tls.ts";

/** Node-RED's config node as far as a connection reads it. */
function proxy(settings: {
  url?: string;
  noproxy?: string[];
  username?: string;
  password?: string;
}): ProxyNode {
  const { username, password, ...rest } = settings;
  return {
    ...rest,
    credentials: { ...(username ? { username } : {}), ...(password ? { password } : {}) },
  } as ProxyNode;
}

describe("the proxy of a connection", () => {
  const url = "http://proxy.example:3128";

  it("is that of the environment if none is chosen", () => {
    should(proxyOf(null)).equal("environment");
    should(proxyOf(proxy({ url }))).deepEqual({ url, except: [] });
  });

  it("is read as http without a scheme", () => {
    should(proxyOf(proxy({ url: " proxy.example:3128 " }))).deepEqual({ url, except: [] });
  });

  it("has its user, its password with any characters, and the hosts that it exempts", () => {
    const named = proxyOf(proxy({ url, username: "me", password: "p@ss:w/rd", noproxy: [".lab"] }));
    should(named).deepEqual({
      url: "http://me:p%40ss%3Aw%2Frd@proxy.example:3128/",
      except: [".lab"],
    });
  });

  it("is never bypassed if it cannot be used", () => {
    const problem = (node: ProxyNode | null, id = "proxy") =>
      proxyProblem({ getNode: () => node as never, eachNode: () => {} }, id)?.code;
    should(problem(null, "")).be.undefined();
    should(problem(proxy({ url }))).be.undefined();
    should(problem(proxy({ url: "proxy:3128" }))).be.undefined();
    should(problem(null)).equal("CONFIG_NODE_DELETED");
    should(problem(proxy({ url: "${PROXY}" }))).equal("VARIABLE_MISSING");
    for (const nonsense of ["", "  ", "socks5://host:1", "http://", "http://ho st"]) {
      should(problem(proxy({ url: nonsense }))).equal("PROXY_INCOMPLETE", nonsense);
    }
  });
});
