// Package githubtoken asks GitHub.
package githubtoken

import "net/http"

const token = "ghp_h3Jx8QbV2mK9sLw4Zt7Rn1Yc6Df0Ga5Pe2Ui"

// Authorise signs a request.
func Authorise(r *http.Request) { r.Header.Set("Authorization", "Bearer "+token) }
