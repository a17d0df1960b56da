// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// A wallet that executes signed operations: all transactions of an operation, or none.
/// Deployed as a minimal clone by SmartAccountFactory. Only the forwarder hands operations in, and
/// only a signature of an allowed signer over the EIP-712 digest makes one valid.
contract SmartAccount {
    struct Transaction {
        address to;
        uint256 value;
        bytes data;
    }

    struct Operation {
        uint256 id;
        address account;
        uint256 deadline;
        Transaction[] transactions;
    }

    struct RsaKey {
        bytes e;
        bytes n;
    }

    bytes32 private constant DOMAIN_TYPEHASH =
        keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)");
    bytes32 private constant TRANSACTION_TYPEHASH = keccak256("Transaction(address to,uint256 value,bytes data)");
    bytes32 private constant OPERATION_TYPEHASH = keccak256(
        "Operation(uint256 id,address account,uint256 deadline,Transaction[] transactions)Transaction(address to,uint256 value,bytes data)"
    );
    string private constant NAME = "CLLSmartAccount";
    string private constant VERSION = "1";
    uint256 private constant HALF_CURVE_ORDER = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0;

    address public owner;
    address public forwarder;
    mapping(address signer => bool) public isSigner;
    mapping(uint256 operationId => bool) public executed;
    RsaKey[] private _rsaKeys;

    event OperationExecuted(uint256 indexed operationId);
    event SignerChanged(address indexed signer, bool allowed);

    error AlreadyInitialized();
    error NotForwarder(address caller);
    error NotOwner(address caller);
    error WrongAccount(address account);
    error DeadlinePassed(uint256 deadline);
    error OperationAlreadyExecuted(uint256 operationId);
    error SignerNotAllowed(address signer);
    error InvalidSignature();
    /// `reason` is what the transaction at `index` reverted with.
    error TransactionFailed(uint256 index, bytes reason);

    /// The implementation behind the clones belongs to nobody.
    constructor() {
        forwarder = address(1);
    }

    receive() external payable {}

    function initialize(
        address owner_,
        address forwarder_,
        address[] calldata signers,
        RsaKey[] calldata rsaKeys_
    ) external {
        if (forwarder != address(0)) revert AlreadyInitialized();
        owner = owner_;
        forwarder = forwarder_;
        for (uint256 i = 0; i < signers.length; i++) {
            isSigner[signers[i]] = true;
            emit SignerChanged(signers[i], true);
        }
        for (uint256 i = 0; i < rsaKeys_.length; i++) _rsaKeys.push(rsaKeys_[i]);
    }

    function setSigner(address signer, bool allowed) external {
        if (msg.sender != owner) revert NotOwner(msg.sender);
        isSigner[signer] = allowed;
        emit SignerChanged(signer, allowed);
    }

    function rsaKeys() external view returns (RsaKey[] memory) {
        return _rsaKeys;
    }

    function execute(Operation calldata operation, bytes calldata signature) external {
        if (msg.sender != forwarder) revert NotForwarder(msg.sender);
        if (operation.account != address(this)) revert WrongAccount(operation.account);
        if (executed[operation.id]) revert OperationAlreadyExecuted(operation.id);
        if (operation.deadline != 0 && block.timestamp > operation.deadline) {
            revert DeadlinePassed(operation.deadline);
        }
        _checkSignature(operationDigest(operation), signature);

        // Before the calls, so that a contract called here cannot hand the same operation in again.
        executed[operation.id] = true;
        for (uint256 i = 0; i < operation.transactions.length; i++) {
            Transaction calldata call_ = operation.transactions[i];
            (bool ok, bytes memory reason) = call_.to.call{value: call_.value}(call_.data);
            if (!ok) revert TransactionFailed(i, reason);
        }
        emit OperationExecuted(operation.id);
    }

    function operationDigest(Operation calldata operation) public view returns (bytes32) {
        bytes32[] memory hashes = new bytes32[](operation.transactions.length);
        for (uint256 i = 0; i < hashes.length; i++) {
            Transaction calldata call_ = operation.transactions[i];
            hashes[i] = keccak256(abi.encode(TRANSACTION_TYPEHASH, call_.to, call_.value, keccak256(call_.data)));
        }
        bytes32 operationHash = keccak256(
            abi.encode(
                OPERATION_TYPEHASH,
                operation.id,
                operation.account,
                operation.deadline,
                keccak256(abi.encodePacked(hashes))
            )
        );
        bytes32 domain = keccak256(
            abi.encode(
                DOMAIN_TYPEHASH, keccak256(bytes(NAME)), keccak256(bytes(VERSION)), block.chainid, address(this)
            )
        );
        return keccak256(abi.encodePacked(hex"1901", domain, operationHash));
    }

    /// EIP-5267.
    function eip712Domain()
        external
        view
        returns (
            bytes1 fields,
            string memory name,
            string memory version,
            uint256 chainId,
            address verifyingContract,
            bytes32 salt,
            uint256[] memory extensions
        )
    {
        return (hex"0f", NAME, VERSION, block.chainid, address(this), bytes32(0), new uint256[](0));
    }

    function _checkSignature(bytes32 digest, bytes calldata signature) private view {
        if (signature.length == 65) {
            bytes32 r = bytes32(signature[0:32]);
            bytes32 s = bytes32(signature[32:64]);
            if (uint256(s) > HALF_CURVE_ORDER) revert InvalidSignature();
            address signer = ecrecover(digest, uint8(signature[64]), r, s);
            if (signer == address(0)) revert InvalidSignature();
            if (!isSigner[signer]) revert SignerNotAllowed(signer);
            return;
        }
        if (signature.length == 256) {
            for (uint256 i = 0; i < _rsaKeys.length; i++) {
                if (_rsaSigned(digest, signature, _rsaKeys[i])) return;
            }
        }
        revert InvalidSignature();
    }

    /// PKCS#1 v1.5 with the SHA-256 prefix, over the digest taken as already hashed.
    function _rsaSigned(bytes32 digest, bytes calldata signature, RsaKey storage key) private view returns (bool) {
        bytes memory n = key.n;
        if (n.length != 256) return false;
        bytes memory e = key.e;
        (bool ok, bytes memory opened) =
            address(5).staticcall(abi.encodePacked(uint256(256), e.length, uint256(256), signature, e, n));
        if (!ok || opened.length != 256) return false;
        bytes memory filler = new bytes(202);
        for (uint256 i = 0; i < 202; i++) filler[i] = 0xff;
        bytes memory expected =
            abi.encodePacked(hex"0001", filler, hex"00", hex"3031300d060960864801650304020105000420", digest);
        return keccak256(opened) == keccak256(expected);
    }
}
