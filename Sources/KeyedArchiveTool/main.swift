// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

Terminal.ignoreClosedPipes()
Terminal.exit(Tool.run(Array(CommandLine.arguments.dropFirst()), on: .process()))
