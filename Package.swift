// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import PackageDescription

let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .strictMemorySafety(),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
  name: "KeyedArchiver",
  products: [
    .library(name: "PropertyListFormat", targets: ["PropertyListFormat"]),
    .library(name: "KeyedArchiving", targets: ["KeyedArchiving"]),
  ],
  targets: [
    // bytes <-> property-list values
    .target(name: "PropertyListFormat", swiftSettings: settings),
    // values <-> archive graph <-> Swift objects
    .target(name: "KeyedArchiving", dependencies: ["PropertyListFormat"], swiftSettings: settings),
    .target(name: "TestSupport", path: "Tests/TestSupport", swiftSettings: settings),
    .testTarget(
      name: "PropertyListFormatTests", dependencies: ["PropertyListFormat", "TestSupport"], swiftSettings: settings),
    .testTarget(name: "KeyedArchivingTests", dependencies: ["KeyedArchiving", "TestSupport"], swiftSettings: settings),
  ]
)
