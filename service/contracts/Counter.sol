// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// Counts, and fails on request in each way a contract can fail.
contract Counter {
    uint256 public count;
    mapping(address caller => uint256) public countOf;

    event Incremented(address indexed by, uint256 amount, uint256 count);

    error Refused(address caller, uint256 amount);

    function increment() external {
        _add(1);
    }

    function add(uint256 amount) external payable {
        _add(amount);
    }

    function failWithReason(string calldata reason) external pure {
        revert(reason);
    }

    function failWithError(uint256 amount) external view {
        revert Refused(msg.sender, amount);
    }

    function failWithPanic(uint256 divisor) external pure returns (uint256) {
        return 1 / (divisor - divisor);
    }

    function _add(uint256 amount) private {
        count += amount;
        countOf[msg.sender] += amount;
        emit Incremented(msg.sender, amount, count);
    }
}
