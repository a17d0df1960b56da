import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import should from "should";
import { licensesOf } from "../../scripts/lib/licenses.mjs";
import { builtWithTypes } from "../support/built.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** Each package whose code is inside the library, and what is compiled inside those, with the line that names its owner. */
const OWNERS: ReadonlyArray<[title: RegExp, copyright: string]> = [
  [/^@noble\/curves [\d.]+ \(MIT\)$/m, "Copyright (c) 2022 Paul Miller"],
  [/^@noble\/hashes [\d.]+ \(MIT\)$/m, "Copyright (c) 2022 Paul Miller"],
  [/^ox [\d.]+ \(MIT\)$/m, "Copyright (c) 2024-present weth, LLC"],
  [/^undici [\d.]+ \(MIT\)$/m, "Copyright (c) Matteo Collina and Undici contributors"],
  [/^libsecp256k1 \(MIT\), compiled to WebAssembly inside ox$/m, "Copyright (c) 2013 Pieter Wuille"],
  [/^llhttp \(MIT\), compiled to WebAssembly inside undici$/m, "Copyright Fedor Indutny, 2018."],
];

/** All of it, however its lines are broken. */
const MIT =
  'Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation files (the "Software"), to deal in the Software without restriction, including without limitation the rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit persons to whom the Software is furnished to do so, subject to the following conditions: The above copyright notice and this permission notice shall be included in all copies or substantial portions of the Software. THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.';

describe("the licence notices in the package", () => {
  before(function () {
    this.timeout(120_000);
    return builtWithTypes();
  });

  for (const [title, copyright] of OWNERS) {
    it(`have the name, the copyright line and the whole text: ${title.source.slice(1, -1)}`, async () => {
      const all = await readFile(`${root}/dist/THIRD_PARTY_LICENSES`, "utf8");
      const section = all.split(/^-{80}$/m).find((part) => title.test(part)) ?? "";
      should(section).containEql(`\n${copyright}`);
      should(section.replace(/\s+/g, " ").replace(/[“”]/g, '"')).containEql(MIT);
    });
  }

  it("name BLAKE3, which asks for no notice", async () => {
    const all = await readFile(`${root}/dist/THIRD_PARTY_LICENSES`, "utf8");
    should(all).match(
      /^BLAKE3 \(CC0-1\.0 OR Apache-2\.0\), compiled .*\n\nThis work is released into the public domain/m,
    );
  });

  it("cannot leave out what new WebAssembly holds: the build names the file and stops", async () => {
    await should(licensesOf(["node_modules/ox/dist/wasm/internal/mldsa44.wasm.js"])).be.rejectedWith(
      /mldsa44\.wasm\.js is WebAssembly, and nothing says what is compiled inside/,
    );
  });
});
