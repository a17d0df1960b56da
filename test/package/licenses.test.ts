import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import should from "should";
import { licensesOf } from "../../scripts/lib/licenses.ts";
import { builtNodes } from "../support/built.ts";
import { builtClient } from "../support/built-client.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** All of it, however its lines are broken. */
const MIT =
  'Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation files (the "Software"), to deal in the Software without restriction, including without limitation the rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit persons to whom the Software is furnished to do so, subject to the following conditions: The above copyright notice and this permission notice shall be included in all copies or substantial portions of the Software. THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.';
const APACHE = "TERMS AND CONDITIONS FOR USE, REPRODUCTION, AND DISTRIBUTION";

/** Packages whose code is in the library or its parts, and what is compiled inside those, with texts of each notice. */
const NOTICES: ReadonlyArray<[title: RegExp, ...texts: string[]]> = [
  [/^@noble\/curves [\d.]+ \(MIT\)$/m, MIT, "Copyright (c) 2022 Paul Miller"],
  [/^@noble\/hashes [\d.]+ \(MIT\)$/m, MIT, "Copyright (c) 2022 Paul Miller"],
  [/^ox [\d.]+ \(MIT\)$/m, MIT, "Copyright (c) 2024-present weth, LLC"],
  [/^undici [\d.]+ \(MIT\)$/m, MIT, "Copyright (c) Matteo Collina and Undici contributors"],
  [/^libsecp256k1 \(MIT\), compiled to WebAssembly inside ox$/m, MIT, "Copyright (c) 2013 Pieter Wuille"],
  [/^llhttp \(MIT\), compiled to WebAssembly inside undici$/m, MIT, "Copyright Fedor Indutny, 2018."],
  [/^postgres [\d.]+ \(Unlicense\)$/m],
  [/^ioredis [\d.]+ \(MIT\)$/m, MIT],
  [/^denque [\d.]+ \(Apache-2\.0\)$/m],
  [/^@aws-sdk\/client-kms [\d.]+ \(Apache-2\.0\)$/m, APACHE],
  [/^@aws-sdk\/nested-clients [\d.]+ \(Apache-2\.0\)$/m, APACHE],
  [/^@smithy\/core [\d.]+ \(Apache-2\.0\)$/m, APACHE],
];

describe("the licence notices in the package", () => {
  before(async function () {
    this.timeout(120_000);
    await Promise.all([builtNodes(), builtClient()]);
  });

  for (const folder of ["dist", "client/dist"])
    it(`have the name, the copyright line and the whole text of each package, once, in ${folder}`, async () => {
      const all = await readFile(`${root}/${folder}/THIRD_PARTY_LICENSES`, "utf8");
      const sections = all.split(/^-{80}$/m);
      for (const [title, ...texts] of NOTICES) {
        const [section = "", ...others] = sections.filter((part) => title.test(part));
        const text = section.replace(/\s+/g, " ").replace(/[“”]/g, '"');
        should(others).be.empty();
        should(section).match(title);
        for (const wanted of texts) should(text).containEql(wanted);
      }
    });

  it("cannot leave out what new WebAssembly holds: the build names the file and stops", async () => {
    await should(licensesOf(["node_modules/ox/dist/wasm/internal/mldsa44.wasm.js"])).be.rejectedWith(
      /mldsa44\.wasm\.js is WebAssembly, and nothing says what is compiled inside/,
    );
  });
});
