// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {SmartAccount} from "./SmartAccount.sol";

/// Deploys each smart account as an EIP-1167 clone by CREATE2, so that its address is known beforehand.
contract SmartAccountFactory {
    address public immutable implementation;
    address public immutable forwarder;

    event AccountDeployed(address indexed account, address indexed owner, bytes32 salt);

    error DeploymentFailed(bytes32 salt);
    error NotForwarder(address caller);

    constructor(address forwarder_) {
        implementation = address(new SmartAccount());
        forwarder = forwarder_;
    }

    function deploy(
        bytes32 salt,
        address owner,
        address[] calldata signers,
        SmartAccount.RsaKey[] calldata rsaKeys
    ) external returns (address account) {
        if (msg.sender != forwarder) revert NotForwarder(msg.sender);
        bytes memory code = _cloneCode();
        assembly {
            account := create2(0, add(code, 32), mload(code), salt)
        }
        if (account == address(0)) revert DeploymentFailed(salt);
        SmartAccount(payable(account)).initialize(owner, forwarder, signers, rsaKeys);
        emit AccountDeployed(account, owner, salt);
    }

    function predict(bytes32 salt) external view returns (address) {
        bytes32 hash = keccak256(abi.encodePacked(hex"ff", address(this), salt, keccak256(_cloneCode())));
        return address(uint160(uint256(hash)));
    }

    function _cloneCode() private view returns (bytes memory) {
        return abi.encodePacked(
            hex"3d602d80600a3d3981f3363d3d373d3d3d363d73", implementation, hex"5af43d82803e903d91602b57fd5bf3"
        );
    }
}
