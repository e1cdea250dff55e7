# SPDX-License-Identifier: Apache-2.0
"""`gatemark capture`: packets of a gateway, shown or kept while they come."""
