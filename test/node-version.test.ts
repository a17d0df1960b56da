import should from "should";

describe("the Node.js that runs everything", () => {
  it("is version 24, whatever the machine has", () => {
    should(process.version).startWith("v24.");
  });
});
